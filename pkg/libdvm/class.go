package libdvm

// Class says what the simulation does with a call: each class but the ordinary
// ones has one handler, in pkg/sim or, when only objects change, in pkg/object
// (docs/model.md#13-which-function-does-what). Sections are those of docs/model.md.
type Class uint8

// The classes, in the order of the model's sections.
const (
	// Ordinary functions run on every processor of the current system and
	// take the traced time there (section 2, accounting).
	Ordinary Class = iota
	// Runtime marks events of the run-time system itself, outside the program.
	Runtime
	// Initialise starts the run-time system; the program begins at its end.
	Initialise
	// Finish ends the program.
	Finish

	BeginUser       // opens a user interval (section 3)
	BeginSequential // opens an interval of a sequential loop
	BeginParallel   // opens an interval of a parallel loop
	EndUser         // closes a user interval
	EndLoop         // closes an interval of a loop

	GetSystem       // names the processor system of an abstract machine (section 4)
	ViewSystem      // reshapes a processor system
	CreateSystem    // takes a section of a processor system
	GetMachine      // names the current abstract machine
	ElementMachine  // names an abstract machine of a template
	MapMachine      // maps an abstract machine on a processor system
	RunMachine      // enters a task
	StopMachine     // leaves a task
	CreateTemplate  // creates a template
	TemplateOfArray // names the template of an array
	Distribute      // distributes a template
	Redistribute    // distributes a template anew
	BlockDivisor    // sets divisors of block sizes
	BlockSizes      // sets block sizes
	LoadWeights     // sets load weights
	CreateArray     // creates a distributed array
	CreateReplica   // creates an array that is whole everywhere
	AddHeader       // gives an array a second header
	Align           // aligns an array
	Realign         // aligns an array anew
	Delete          // deletes an object
	DeleteHeader    // deletes one header of an array

	IO         // standard I/O on the I/O processor (section 5)
	ArrayIO    // I/O of a distributed array
	BeginIO    // Fortran I/O begins
	EndIO      // Fortran I/O ends
	SendMemory // the I/O processor sends memory to all

	CreateShadowGroup // section 7, shadow edges
	InsertShadow
	InsertShadowDims
	StartShadow
	SendShadow
	ReceiveShadow
	WaitShadow
	ExportFirst
	ImportLast

	CreateReductionGroup // section 7, reductions
	CreateReduction
	InsertReduction
	SaveReduction
	StartReduction
	WaitReduction

	CopyArray // section 7, copies
	StartCopy
	WaitCopy

	CreateLoopBuffer // section 7, remote access buffers
	CreateSectionBuffer
	LoadBuffer
	WaitBuffer
	CreateBufferGroup
	InsertBuffer
	LoadBufferGroup
	WaitBufferGroup

	CreateLoop // section 8
	MapLoop
	DoLoop
	EndLoopNest
	Across // section 9

	// NumClasses is the number of classes.
	NumClasses
)

// String returns the class's name in lower case with hyphens.
func (c Class) String() string {
	if c >= NumClasses {
		return "unknown"
	}
	return classNames[c]
}

var classNames = [NumClasses]string{
	Ordinary: "ordinary", Runtime: "runtime",
	Initialise: "initialise", Finish: "finish",
	BeginUser: "begin-user", BeginSequential: "begin-sequential", BeginParallel: "begin-parallel",
	EndUser: "end-user", EndLoop: "end-loop",
	GetSystem: "get-system", ViewSystem: "view-system", CreateSystem: "create-system",
	GetMachine: "get-machine", ElementMachine: "element-machine", MapMachine: "map-machine",
	RunMachine: "run-machine", StopMachine: "stop-machine",
	CreateTemplate: "create-template", TemplateOfArray: "template-of-array",
	Distribute: "distribute", Redistribute: "redistribute",
	BlockDivisor: "block-divisor", BlockSizes: "block-sizes", LoadWeights: "load-weights",
	CreateArray: "create-array", CreateReplica: "create-replica", AddHeader: "add-header",
	Align: "align", Realign: "realign", Delete: "delete", DeleteHeader: "delete-header",
	IO: "io", ArrayIO: "array-io", BeginIO: "begin-io", EndIO: "end-io", SendMemory: "send-memory",
	CreateShadowGroup: "create-shadow-group", InsertShadow: "insert-shadow", InsertShadowDims: "insert-shadow-dims",
	StartShadow: "start-shadow", SendShadow: "send-shadow", ReceiveShadow: "receive-shadow", WaitShadow: "wait-shadow",
	ExportFirst: "export-first", ImportLast: "import-last",
	CreateReductionGroup: "create-reduction-group", CreateReduction: "create-reduction",
	InsertReduction: "insert-reduction", SaveReduction: "save-reduction",
	StartReduction: "start-reduction", WaitReduction: "wait-reduction",
	CopyArray: "copy-array", StartCopy: "start-copy", WaitCopy: "wait-copy",
	CreateLoopBuffer: "create-loop-buffer", CreateSectionBuffer: "create-section-buffer",
	LoadBuffer: "load-buffer", WaitBuffer: "wait-buffer",
	CreateBufferGroup: "create-buffer-group", InsertBuffer: "insert-buffer",
	LoadBufferGroup: "load-buffer-group", WaitBufferGroup: "wait-buffer-group",
	CreateLoop: "create-loop", MapLoop: "map-loop", DoLoop: "do-loop", EndLoopNest: "end-loop-nest",
	Across: "across",
}

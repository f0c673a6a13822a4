package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A regular program is an iteration over arrays of one template: in every
// round a loop on one array, after an exchange of its shadow edges, with a
// reduction, inside of an interval. Only the field that is varied differs
// between the programs of one curve.
type regular struct {
	rounds    int
	arrays    int // rounds go over them in turn
	intervals int // different ones, entered in turn
	rank      int
	extent    int // of each dimension
	processes int // of the traced run; 0 is 1
}

const (
	callsBefore = 2 // of templates
	callsArray  = 2 // of each array
	callsRound  = 18
)

// calls returns how many calls the program makes.
func (p regular) calls() int {
	return callsBefore + callsArray*p.arrays + callsRound*p.rounds
}

// A writer is a buffer.
type writer interface {
	io.Writer
	io.StringWriter
}

// Addresses of the program's objects.
const (
	viewAddr   int64 = 0x55d100000100
	loopAddr   int64 = 0x55d100000200
	shadowAddr int64 = 0x55d100000300
	groupAddr  int64 = 0x55d100000400
	reduceAddr int64 = 0x55d100000500
	arrayAddr  int64 = 0x55d200000000
	headerAddr int64 = 0x55d300000000
)

// text returns the program as the trace of one process.
func (p regular) text() []byte {
	var b bytes.Buffer
	p.write(&b)
	return b.Bytes()
}

// save writes text to a file. It does not hold it in memory: the system counts
// the memory of this program as that of the commands that it starts.
func (p regular) save(name string) (size int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	b := bufio.NewWriter(f)
	p.write(b)
	if err := errors.Join(b.Flush(), f.Close()); err != nil {
		return 0, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// write writes text to b, whose errors are sticky.
func (p regular) write(b writer) {
	n := max(p.processes, 1)
	fmt.Fprintf(b, "\nRTS VERSION = 2889\n \n ProcCount=%d;      PSRank=%d;      PSSize= %d%s;\nVProcCount=0;\n", n, p.rank, n, strings.Repeat(" 1", p.rank-1))
	b.WriteString("MasterProc=0(0);   IOProc=0(0);   CentralProc=0(0);   MeanProcTime=0.000605;\n \nMPS=MPI;  Non-standard run;\n")
	writeEvent(b, "ret_dvm_Init", 1)
	b.WriteString(" \n")
	p.declare(b)
	round := make([][]byte, p.arrays)
	for i := range round {
		round[i] = p.round(i)
	}
	for i := range p.rounds {
		interval := i % p.intervals
		writeCall(b, "binter_", fmt.Sprintf("nfrag=1; index=%d UserInter=0;\n", interval), " \n")
		b.Write(round[i%p.arrays])
		writeCall(b, "einter_", "nfrag=1; nline=10\n", " \n")
	}
	writeEvent(b, "Event_dvm_exit", 99)
	b.WriteString("rc=0;\n")
}

// declare writes the template and the arrays.
func (p regular) declare(b writer) {
	writeCall(b, "crtamv_", fmt.Sprintf("AMRefPtr=NULL; AMRef=0; Rank=%d; StaticSign=0;\n%s \n", p.rank, p.same("SizeArray", p.extent)),
		fmt.Sprintf("AMViewRef=%x;\n", viewAddr))
	writeCall(b, "distr_", fmt.Sprintf("AMViewRefPtr=%x; AMViewRef=%x; PSRefPtr=NULL; PSRef=0; ParamCount=%d;\n%s%s \n", viewAddr, viewAddr, p.rank, p.axes(), p.same("DistrParamArray", 0)),
		"IsLocal=1;\n")
	for i := range p.arrays {
		header, array := headerAddr+0x100*int64(i), arrayAddr+0x100*int64(i)
		writeCall(b, "crtda_", fmt.Sprintf("ArrayHeader=%x; ExtHdrSign=1; BasePtr=%x; Rank=%d; TypeSize=8; StaticSign=0; ReDistrSign=0;\n%s%s%s \n", header, header, p.rank,
			p.same("SizeArray", p.extent), p.same("LowShdWidthArray", 1), p.same("HiShdWidthArray", 1)),
			fmt.Sprintf("ArrayHandlePtr=%x;\n", array))
		writeCall(b, "align_", fmt.Sprintf("ArrayHeader=%x; ArrayHandlePtr=%x; PatternRefPtr=%x; PatternRef=%x (AMView);\n%s%s%s \n", header, array, viewAddr, viewAddr,
			p.axes(), p.same("CoeffArray", 1), p.same("ConstArray", 0)),
			"IsLocal=1\n")
	}
}

// round returns the calls of a round on array i, between those of the
// interval.
func (p regular) round(i int) []byte {
	var b bytes.Buffer
	header, array := headerAddr+0x100*int64(i), arrayAddr+0x100*int64(i)
	shadow := fmt.Sprintf("ShadowGroupRefPtr=%x; ShadowGroupRef=%x;\n", shadowAddr, shadowAddr)
	loop := fmt.Sprintf("LoopRefPtr=%x; LoopRef=%x;\n", loopAddr, loopAddr)
	group := fmt.Sprintf("RedGroupRefPtr=%x; RedGroupRef=%x;\n", groupAddr, groupAddr)
	writeCall(&b, "crtshg_", "StaticSign=0;\n", fmt.Sprintf("ShadowGroupRef=%x;\n", shadowAddr))
	writeCall(&b, "inssh_", fmt.Sprintf("ShadowGroupRefPtr=%x; ShadowGroupRef=%x; ArrayHeader=%x; ArrayHandlePtr=%x; FullShdSign=0;\n%s%s \n", shadowAddr, shadowAddr, header, array,
		p.same("LowShdWidthArray", -1), p.same("HiShdWidthArray", -1)), " \n")
	writeCall(&b, "strtsh_", shadow, " \n")
	writeCall(&b, "waitsh_", shadow, " \n")
	writeCall(&b, "delobj_", fmt.Sprintf("ObjectRefPtr=%x; ObjectRef=%x;\n", shadowAddr, shadowAddr), " \n")
	writeCall(&b, "crtrg_", "StaticSign=1; DelRedSign=1;\n", fmt.Sprintf("RedGroupRef=%x;\n", groupAddr))
	writeCall(&b, "crtred_", "RedFuncNumb=3; RedArrayPtr=5646b18784a0; RedArrayType=4; RedArrayLength=1; LocArrayPtr=5646b17da020; LocElmLength=0; StaticSign=1;\n",
		fmt.Sprintf("RedRef=%x;\n", reduceAddr))
	writeCall(&b, "crtpl_", fmt.Sprintf("Rank=%d;\n", p.rank), fmt.Sprintf("LoopRef=%x;\n", loopAddr))
	writeCall(&b, "mappl_", fmt.Sprintf("LoopRefPtr=%x; LoopRef=%x; PatternRefPtr=%x; PatternRef=%x (DisArray);\n%s%s%s%s%s%s%s%s \n", loopAddr, loopAddr, header, array,
		p.axes(), p.same("CoeffArray", 1), p.same("ConstArray", -1), p.hex("LoopVarAddrArray", 0x5646b1861c00), p.same("LoopVarTypeArray", 1),
		p.same("InInitIndexArray", 1), p.same("InLastIndexArray", p.extent), p.same("InStepArray", 1)), "IsLocal=1;\n")
	writeCall(&b, "insred_", fmt.Sprintf("RedGroupRefPtr=%x; RedGroupRef=%x; RedRefPtr=%x; RedRef=%x; LoopRefPtr=%x; LoopRef=%x; RenewSign=0;\n",
		groupAddr, groupAddr, reduceAddr, reduceAddr, loopAddr, loopAddr), " \n")
	writeCall(&b, "dopl_", loop, "DoPL=1;\n")
	writeCall(&b, "dopl_", loop, "DoPL=0;\n")
	writeCall(&b, "endpl_", loop, " \n")
	writeCall(&b, "strtrd_", group, " \n")
	writeCall(&b, "waitrd_", group, " \n")
	writeCall(&b, "delobj_", fmt.Sprintf("ObjectRefPtr=%x; ObjectRef=%x;\n", groupAddr, groupAddr), " \n")
	return b.Bytes()
}

// same returns the line of an array parameter whose elements are equal.
func (p regular) same(name string, value int) string {
	return p.line(name, func(int) string { return fmt.Sprint(value) })
}

// axes returns the line of the axes 1, 2, ...
func (p regular) axes() string {
	return p.line("AxisArray", func(i int) string { return fmt.Sprint(i + 1) })
}

func (p regular) hex(name string, value int64) string {
	return p.line(name, func(i int) string { return fmt.Sprintf("%x", value+4*int64(i)) })
}

func (p regular) line(name string, value func(int) string) string {
	var b strings.Builder
	for i := range p.rank {
		fmt.Fprintf(&b, "%s[%d]=%s; ", name, i, value(i))
	}
	return b.String() + " \n"
}

// writeCall writes a call with its parameter blocks.
func writeCall(b writer, name, args, ret string) {
	writeEvent(b, "call_"+name, 10)
	b.WriteString(args)
	writeEvent(b, "ret_"+name, 10)
	b.WriteString(ret)
}

func writeEvent(b writer, name string, line int) {
	fmt.Fprintf(b, "%-26.26s TIME=0.00000125 LINE=%-6d FILE=regular.fdv\n", name, line)
}

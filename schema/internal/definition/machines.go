package definition

import "dvmtools/pkg/machine"

// machineDefs are the definitions of the machine that headers carry.
func machineDefs() object {
	return object{
		{"machine", closed("Machine", "The machine that programs are simulated on. Nodes are listed once and refer to each other by name.",
			fieldsOf[machine.Description](notes{
				"name":       {doc: "name of the machine, which is that of its first node"},
				"processors": {doc: "number of processors", keys: atLeast(1)},
				"unbounded":  {doc: "there are as many processors as a grid needs; absent when there are not", keys: only(true)},
				"search":     {doc: "mode of search that the description asks for, 0 for none", keys: enum(list{0, 1, 2, 3, 5})},
				"topology":   {doc: "extents of the processor grid that the description states, absent without one", keys: notEmpty(), items: atLeast(1)},
				"order":      {doc: "order in which grids take the processors: the fastest first, or one of each node in turn; absent when as the description lists them", keys: enum(list{"fastest", "cyclic"})},
				"nodes":      {doc: "the nodes, the root first", keys: notEmpty()},
				"network":    {doc: "the links between the processors; absent when media of the nodes connect them"},
				"changes":    {doc: "the changes that were made to the description before, by --set and --scale; absent for none", keys: notEmpty()},
			}))},
		{"change_made", closed("Change", "A change that was made to the description of the machine, as it was stated.",
			fieldsOf[machine.ChangeMade](notes{
				"set":    {doc: "a parameter and its value"},
				"scale":  {doc: "a parameter or a group, and the factor"},
				"values": {doc: "how many values it changed", keys: atLeast(1)},
			})).with(member{"oneOf", list{
			object{{"required", list{"set"}}, {"properties", object{{"scale", false}}}},
			object{{"required", list{"scale"}}, {"properties", object{{"set", false}}}},
		}})},
		{"network", closed("Network", "A topology of links between processors. A message of b bytes takes latency_s + b * speed_s_per_b seconds on each link of its way.",
			fieldsOf[machine.NetworkDescription](notes{
				"topology_id": {doc: "id of the topology"},
				"name":        {doc: "name of the topology, absent without one"},
				"creation_s":  {doc: "time that setting it up takes before the program, in seconds", keys: atLeast(0)},
				"power_base":  {doc: "which processor has power 1, in words"},
				"model":       {doc: "programming model whose functions cost time, absent for none"},
				"overheads":   {doc: "the functions of the model", keys: notEmpty()},
				"links":       {doc: "the links by their ids, absent for none", keys: notEmpty()},
			}))},
		{"overhead", closed("Overhead", "What a function of a programming model costs the processor that calls it.",
			fieldsOf[machine.OverheadDescription](notes{
				"function": {doc: "name of the function"},
				"cost_s":   {doc: "time of a call, in seconds", keys: atLeast(0)},
			}))},
		{"link", closed("Link", "A line between two processors, or a bus between more.",
			fieldsOf[machine.LinkDescription](notes{
				"id":            {doc: "id of the link"},
				"latency_s":     {doc: "time of a message without its bytes, in seconds", keys: atLeast(0)},
				"speed_s_per_b": {doc: "time of a byte, in seconds per byte", keys: atLeast(0)},
				"ends":          {doc: "numbers of the processors that it connects, from 0", keys: notEmpty(), items: atLeast(0)},
			}))},
		{"node", closed("Node of a machine", "A processor, which has a power, or a cluster, which has children and, when it states one, a medium.",
			fieldsOf[machine.NodeDescription](notes{
				"name":       {doc: "name of the node"},
				"processors": {doc: "number of processors of the node", keys: atLeast(1)},
				"power":      {doc: "how many times as fast as the processor of the trace a processor is", keys: object{{"exclusiveMinimum", 0}}},
				"medium":     {doc: "what connects the children"},
				"children":   {doc: "what a cluster consists of", keys: notEmpty()},
			})).with(member{"oneOf", list{
			object{{"required", list{"power"}}, {"properties", object{{"medium", false}, {"children", false}}}},
			object{{"required", list{"children"}}, {"properties", object{{"power", false}}}},
		}})},
		{"medium", closed("Medium", "What messages travel through. A message of b bytes takes tstart_s + b * tbyte_s_per_b seconds.",
			fieldsOf[machine.MediumDescription](notes{
				"comm_type":     {doc: "kind of the medium", keys: enum(mediumKinds())},
				"channels":      {doc: "how many messages travel at once; a medium that bounds none has none", keys: atLeast(1)},
				"tstart_s":      {doc: "time of a message without its bytes, in seconds", keys: atLeast(0)},
				"tbyte_s_per_b": {doc: "time of a byte, in seconds per byte", keys: atLeast(0)},
			})).with(
			member{"if", object{{"properties", object{{"comm_type", enum(withoutChannels())}}}}},
			member{"then", object{{"properties", object{{"channels", false}}}}},
			member{"else", object{{"required", list{"channels"}}}},
		)},
		{"group", closed("Children", "Children of a cluster that are alike.",
			fieldsOf[machine.GroupDescription](notes{
				"count": {doc: "how many there are", keys: atLeast(1)},
				"node":  {doc: "name of the node that each of them is"},
			}))},
	}
}

// mediumKinds returns the words for the kinds of media, without the one for no
// medium, which is never written.
func mediumKinds() list {
	var words list
	for _, k := range machine.Kinds() {
		words = append(words, k.String())
	}
	return words
}

// withoutChannels returns the words for the kinds of media without channels.
func withoutChannels() list {
	var words list
	for _, k := range machine.Kinds() {
		if _, most := k.Channels(); most == 0 {
			words = append(words, k.String())
		}
	}
	return words
}

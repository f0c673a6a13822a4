// Dvmmachine reads, checks, shows, changes and converts machine descriptions:
// machine files of Parasol I and Predictor.par in both forms, which it tells
// apart by content.
//
//	dvmmachine COMMAND [options] FILE...
//
//	dvmmachine check sparc.mach
//	dvmmachine eval sparc.mach '(4*pt(1).ila + pt(1).goto) / pr(1).smallloopspeedup' --sd
//	dvmmachine scale sparc.mach 'links.speed[topology=1]=0.5' | dvmmachine show -
package main

import "dvmtools/cmd/internal/cli"

func main() { cli.MainGroup(group()) }

// group describes the program.
func group() cli.Group {
	return cli.Group{
		Name:  "dvmmachine",
		Usage: "check, show, change and convert descriptions of machines",
		Description: `Reads machine files of Parasol I (begin machine ... end machine) and
Predictor.par in both forms; the content tells them apart.

Parameters are named as in references of Parasol I, pt(1).ila, or NODE.TStart,
NODE.TByte and NODE.power in Predictor.par. Groups of timings are those that
'dvmmachine timings --groups' lists.`,
		Commands: []cli.Command{
			checkCommand(), fmtCommand(), showCommand(), evalCommand(), setCommand(), scaleCommand(),
			topologyCommand(), queryCommand(), convertCommand(), estimateCommand(), timingsCommand(), measureCommand(), powerCommand(),
		},
		Examples: []cli.Example{
			{Line: "dvmmachine check sparc.mach", Text: "all errors, with their places"},
			{Line: "dvmmachine eval sparc.mach 'pt(1).ila*4 + pt(1).goto' --sd", Text: "the value of an expression and its standard deviation"},
			{Line: "dvmmachine estimate sparc.mach counts.txt --proc 1", Text: "the time of operations that were counted"},
		},
	}
}

package report

import "strings"

// Diagnosis returns one to three sentences on t: how much time is lost, what most of
// it is, and what the findings cost that save most.
func Diagnosis(t *Tree, findings []Finding) []string {
	root := t.Root
	var s []string
	switch {
	case root.ExecutionTime <= 0:
		return []string{"The program takes no time."}
	case root.Processors <= 1:
		s = append(s, "The program takes "+timeWords(float64(root.ExecutionTime))+
			" on one processor, where nothing is lost to parallel work; predict a grid of several processors to see what would be.")
	default:
		lost := 1 - root.Efficiency
		most := Part{}
		for _, p := range Split(&root.Times) {
			if !p.Productive && p.Seconds > most.Seconds {
				most = p
			}
		}
		if most.Seconds <= 0 {
			s = append(s, "No processor time is lost.")
			break
		}
		s = append(s, percent(lost)+" of the processor time is lost; the largest part is "+lowerFirst(most.Label)+", "+percent(most.Share)+": "+lostWords(t, most)+".")
		if len(findings) == 0 {
			s = append(s, "No single cause loses more than "+percent(leastShare)+" of the execution time.")
		}
	}
	if w := costWords(findings, root.ID); w != "" {
		s = append(s, w)
	}
	return s
}

// costWords names what the first findings cost: "Of the execution time 12 % goes to
// uneven load (jac.fdv:12-19), 3 % to reductions (jac.fdv:24).", "" when they save
// nothing. The interval root is that of the program.
func costWords(findings []Finding, root int) string {
	const most = 3
	var list []string
	for i := range findings {
		f := &findings[i]
		if f.Saving == 0 || len(list) == most {
			break
		}
		what := f.name
		switch {
		case f.Lines != "" && (f.ID == "imbalance" || f.ID == "powers"):
			what += ", for which others wait at " + f.Lines
		case f.Lines != "":
			what += " (" + f.Lines + ")"
		case f.Interval != root:
			what += " (" + f.Place + ")"
		}
		to := " to "
		if i == 0 {
			to = " goes to "
		}
		list = append(list, savingWords(f)+to+what)
	}
	if len(list) == 0 {
		return ""
	}
	return "Of the execution time " + strings.Join(list, ", ") + "."
}

// lostWords says in plain words what a part of the lost time is.
func lostWords(t *Tree, part Part) string {
	switch part.Key {
	case "iusr":
		s := "computation that every processor repeats"
		if start := float64(t.Header.Startup) * float64(t.Root.Processors-1); start > part.Seconds/2 {
			s += ", most of it the start of the run-time system"
		}
		return s
	case "isys":
		return "work of the run-time system that every processor repeats"
	case "wait":
		return "waiting for other processors"
	case "comm":
		return "messages that take longer than what is computed meanwhile"
	}
	return "processors that are done before the last one"
}

// lowerFirst returns s with its first letter in lower case, unless it begins with an
// abbreviation.
func lowerFirst(s string) string {
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' || s[1] < 'a' || s[1] > 'z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}

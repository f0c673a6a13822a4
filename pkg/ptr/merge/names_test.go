package merge_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"dvmtools/pkg/ptr/merge"
)

// task is a task as one process traces it, which runs in it or not. am is the
// handle of its abstract machine in that process, line the LINE of runam_.
func task(run bool, am string, line int, body string) string {
	s := fmt.Sprintf("call_runam_ 0.00000100 %d\nAMRef=%s;\nret_runam_ 0.00000100 %d\nRun=", line, am, line)
	if !run {
		return s + "0;\n"
	}
	return s + "1;\n" + body + "\ncall_stopam_ 0.00000100 20\nret_stopam_ 0.00000100 20\n"
}

// machines creates a template and two abstract machines of it at the given
// addresses. getamr_ has the given LINE.
func machines(view, am0, am1 string, line int) string {
	var s strings.Builder
	s.WriteString(fmt.Sprintf("call_crtamv_ 0.00000100 5\nAMRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=2;\nret_crtamv_ 0.00000100 5\nAMViewRef=%s;\n", view))
	for i, am := range []string{am0, am1} {
		s.WriteString(fmt.Sprintf("call_getamr_ 0.00000100 %d\nAMViewRef=%s;\nIndexArray[0]=%d;\nret_getamr_ 0.00000100 %d\nAMRef=%s;\n", line, view, i, line, am))
	}
	return s.String()
}

const group = "call_crtrg_ 0.00000100 30\nStaticSign=0; DelRedSign=0;\nret_crtrg_ 0.00000100 30\nRedGroupRef=%s;\n"

// TestTasksByMachine: runam_ and getamr_ match by the abstract machine that they
// name, not by LINE. A task runs to its end before the next. An object that process
// 1 creates in a task gets a new name although process 0 has another object at that
// address, also when the address was that of a deleted object of both.
func TestTasksByMachine(t *testing.T) {
	p0 := machines("a0", "a1", "a2", 5) + fmt.Sprintf(group, "e0") +
		task(true, "a1", 6, fmt.Sprintf(group, "c0")) +
		task(false, "a2", 20, "") +
		"call_delrg_ 0.00000100 31\nRedGroupRef=e0;\nret_delrg_ 0.00000100 31\n"
	// Process 1 makes its groups at b7 and, in the task, at c0, where process
	// 0 has a group of its own, and at b7 again.
	p1 := machines("b0", "b1", "b2", 4) + fmt.Sprintf(group, "b7") +
		task(false, "b1", 6, "") +
		task(true, "b2", 6, fmt.Sprintf(group, "c0")+fmt.Sprintf(group, "b7")+
			"call_delrg_ 0.00000100 32\nRedGroupRef=b7;\nret_delrg_ 0.00000100 32\n") +
		"call_delrg_ 0.00000100 31\nRedGroupRef=b7;\nret_delrg_ 0.00000100 31\n"
	same(t, merged(t, merge.Options{}, trace(2, p0), trace(2, p1)), `
		call_crtamv_ 0.00000100 5 AMRef=0; Rank=1; StaticSign=0; SizeArray[0]=2;
		ret_crtamv_ 0.00000100 5 AMViewRef=a0;
		call_getamr_ 0.00000100 5 AMViewRef=a0; IndexArray[0]=0;
		ret_getamr_ 0.00000100 5 AMRef=a1;
		call_getamr_ 0.00000100 5 AMViewRef=a0; IndexArray[0]=1;
		ret_getamr_ 0.00000100 5 AMRef=a2;
		call_crtrg_ 0.00000100 30 StaticSign=0; DelRedSign=0;
		ret_crtrg_ 0.00000100 30 RedGroupRef=e0;
		call_runam_ 0.00000100 6 AMRef=a1;
		ret_runam_ 0.00000100 6 Run=1;
		call_crtrg_ 0.00000100 30 StaticSign=0; DelRedSign=0;
		ret_crtrg_ 0.00000100 30 RedGroupRef=c0;
		call_stopam_ 0.00000100 20
		ret_stopam_ 0.00000100 20
		call_runam_ 0.00000100 20 AMRef=a2;       // LINE of process 0, Run of process 1
		ret_runam_ 0.00000100 20 Run=1;
		call_crtrg_ 0.00000100 30 StaticSign=0; DelRedSign=0;
		ret_crtrg_ 0.00000100 30 RedGroupRef=fff00001;
		call_crtrg_ 0.00000100 30 StaticSign=0; DelRedSign=0;
		ret_crtrg_ 0.00000100 30 RedGroupRef=fff00002;
		call_delrg_ 0.00000100 32 RedGroupRef=fff00002;
		ret_delrg_ 0.00000100 32
		call_stopam_ 0.00000100 20
		ret_stopam_ 0.00000100 20
		call_delrg_ 0.00000100 31 RedGroupRef=e0; // a joint call: process 0 knows it as e0
		ret_delrg_ 0.00000100 31
		Event_dvm_exit 0.00000100 99 rc=0;`)
}

// TestTasksWithoutRun: a process whose runam_ states no Run enters the task (R
// appendix 5), so that the calls of process 0 up to its stopam_ are in the task.
func TestTasksWithoutRun(t *testing.T) {
	in := strings.Replace(task(true, "a1", 6, fmt.Sprintf(group, "c0")), "Run=1;\n", "", 1)
	same(t, merged(t, merge.Options{},
		trace(2, machines("a0", "a1", "a2", 5)+in),
		trace(2, machines("b0", "b1", "b2", 5)+task(false, "b1", 6, ""))), `
		call_crtamv_ 0.00000100 5 AMRef=0; Rank=1; StaticSign=0; SizeArray[0]=2;
		ret_crtamv_ 0.00000100 5 AMViewRef=a0;
		call_getamr_ 0.00000100 5 AMViewRef=a0; IndexArray[0]=0;
		ret_getamr_ 0.00000100 5 AMRef=a1;
		call_getamr_ 0.00000100 5 AMViewRef=a0; IndexArray[0]=1;
		ret_getamr_ 0.00000100 5 AMRef=a2;
		call_runam_ 0.00000100 6 AMRef=a1;
		ret_runam_ 0.00000100 6
		call_crtrg_ 0.00000100 30 StaticSign=0; DelRedSign=0;
		ret_crtrg_ 0.00000100 30 RedGroupRef=c0;
		call_stopam_ 0.00000100 20
		ret_stopam_ 0.00000100 20
		Event_dvm_exit 0.00000100 99 rc=0;`)
}

// TestInventedNames: an address that is used again gets the same name again,
// so that their number does not grow with the trace. An address of process 0 in
// the range of invented names is renamed. Names have as many digits as the
// addresses of the trace.
func TestInventedNames(t *testing.T) {
	for _, c := range []struct{ name, own0, own1, other string }{
		{"32 bits", "a0", "b0", "fff00002"},
		{"64 bits", "55e0000000a0", "55e0000000b0", "fffe000000000002"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var body strings.Builder
			for range 3 {
				body.WriteString(fmt.Sprintf(group, c.own1))
			}
			out := merged(t, merge.Options{},
				trace(2, machines(c.own0, "1", "2", 5)+task(false, "1", 6, "")+fmt.Sprintf(group, c.other)),
				trace(2, machines(c.own1, "3", "4", 5)+task(true, "3", 6, body.String())+fmt.Sprintf(group, c.own1)))
			var names []string
			for _, m := range regexp.MustCompile(`RedGroupRef=(\w+)`).FindAllSubmatch(out, -1) {
				names = append(names, string(m[1]))
			}
			solo := strings.TrimSuffix(c.other, "2") + "1"
			if want := []string{solo, solo, solo, c.other}; fmt.Sprint(names) != fmt.Sprint(want) {
				t.Errorf("names %v, want %v", names, want)
			}
		})
	}
}

// TestAddressesInArrays: addresses in arrays are renamed too; NULL is not.
func TestAddressesInArrays(t *testing.T) {
	mem := func(a, b string) string {
		return "call_srmem_ 0.00000100 7\nMemoryCount=2;\nStartAddrArray[0]=" + a + "; StartAddrArray[1]=" + b + ";\nLengthArray[0]=4; LengthArray[1]=8;\nret_srmem_ 0.00000100 7\n"
	}
	out := merged(t, merge.Options{},
		trace(2, machines("a0", "a1", "a2", 5)+mem("d1", "d2")+task(false, "a1", 6, "")),
		trace(2, machines("b0", "b1", "b2", 5)+mem("e1", "e2")+task(true, "b1", 6, mem("e2", "0")+mem("e1", "f0"))))
	var got []string
	for _, m := range regexp.MustCompile(`StartAddrArray\[\d\]=(\w+)`).FindAllSubmatch(out, -1) {
		got = append(got, string(m[1]))
	}
	// f0 was never named together with process 0.
	if want := "[d1 d2 d2 0 d1 fff00001]"; fmt.Sprint(got) != want {
		t.Errorf("addresses %v, want %v", got, want)
	}
}

package tracegen_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"dvmtools/internal/tracegen"
	"dvmtools/pkg/ptr"
)

// names reads a trace and returns the functions that it calls.
func names(t *testing.T, text []byte) []string {
	t.Helper()
	r, err := ptr.NewReader("gen.ptr", bytes.NewReader(text), ptr.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Func)
	}
}

func TestProgramsAreTraces(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(200) {
		o := tracegen.Options{Seed: seed, Grid: []int{2, 2}}
		p := tracegen.Generate(o)
		text := p.Text()
		if !bytes.Equal(text, tracegen.Generate(o).Text()) {
			t.Fatalf("seed %d gives two programs", seed)
		}
		var want []string
		for _, c := range p.Calls {
			want = append(want, c.Func)
			seen[c.Func]++
		}
		got := names(t, text)
		if len(got) > 0 && got[0] == "dvm_Init" {
			got = got[1:]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: the trace has the calls %v, the program %v", seed, got, want)
		}
	}
	for _, f := range []string{
		"crtamv_", "distr_", "crtda_", "align_", "crtpl_", "mappl_", "dopl_", "endpl_", "blkdiv_", "genblk_", "setelw_",
		"redis_", "realn_", "psview_", "crtps_", "getamr_", "mapam_", "runam_", "stopam_", "crtrg_", "crtred_", "insred_", "strtrd_", "waitrd_",
		"crtshg_", "inssh_", "insshd_", "incsh_", "incshd_", "strtsh_", "sendsh_", "recvsh_", "waitsh_", "exfrst_", "imlast_", "arrcpy_", "aarrcp_", "waitcp_",
		"crtrbl_", "crtrbp_", "loadrb_", "waitrb_", "crtbg_", "insrb_", "loadbg_", "waitbg_", "across_", "biof_", "eiof_", "srmem_", "dvm_dfread", "dvm_dfwrite",
		"userfn_", "rlocel_", "rwelm_", "dvm_open", "dvm_read", "dvm_fread", "dvm_fgets", "dvm_fscanf", "dvm_printf", "dvm_void_printf", "binter_", "einter_", "bsloop_", "bploop_", "enloop_", "crtrda_", "delda_", "delobj_",
	} {
		if seen[f] == 0 {
			t.Errorf("no program calls %s", f)
		}
	}
}

func TestFeaturesAreLeftOut(t *testing.T) {
	for seed := range uint64(40) {
		p := tracegen.Generate(tracegen.Options{Seed: seed, Grid: []int{3}, Features: tracegen.All &^ (tracegen.Shadows | tracegen.Boundaries | tracegen.Pipelines | tracegen.HandPipelines)})
		for _, c := range p.Calls {
			if c.Func == "crtshg_" {
				t.Fatalf("seed %d: %s although the feature is off", seed, c.Func)
			}
		}
	}
}

func TestShrink(t *testing.T) {
	p := tracegen.Generate(tracegen.Options{Seed: 3, Grid: []int{4}, Features: tracegen.All &^ tracegen.Cut})
	fails := func(p *tracegen.Program) bool {
		loops := 0
		for _, c := range p.Calls {
			if c.Func == "dopl_" {
				loops++
			}
		}
		return loops >= 2
	}
	if !fails(p) {
		t.Fatal("the program has no loops")
	}
	q := tracegen.Shrink(p, fails)
	if len(q.Calls) != 2 || q.Calls[0].Time != 0 || q.Calls[1].RetTime != 0 {
		t.Errorf("left are %+v", q.Calls)
	}
}

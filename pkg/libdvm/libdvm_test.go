package libdvm_test

import (
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/libdvm"
)

func TestTableIsSortedUniqueAndDocumented(t *testing.T) {
	names := libdvm.Names()
	if !slices.IsSorted(names) {
		t.Error("the table is not sorted by name")
	}
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("%d of %d names are different", n, len(names))
	}
	for _, f := range libdvm.Functions() {
		if f.Doc == "" {
			t.Errorf("%s: no documentation", f.Name)
		}
		if strings.Contains(f.Class.String(), "unknown") || f.Class.String() == "" {
			t.Errorf("%s: class %d has no name", f.Name, f.Class)
		}
		for _, ps := range [][]libdvm.Param{f.Args, f.Ret} {
			for i, p := range ps {
				for _, q := range ps[:i] {
					if p.Key == q.Key {
						t.Errorf("%s: two parameters %s", f.Name, p.Key)
					}
				}
				if (p.Kind == libdvm.Text || p.Kind == libdvm.TextSemicolon) && i != len(ps)-1 {
					t.Errorf("%s: text parameter %s is not the last", f.Name, p.Key)
				}
			}
		}
	}
}

// Every class of the table occurs, so that no handler is without a function.
func TestEveryClassOccurs(t *testing.T) {
	var seen [libdvm.NumClasses]bool
	for _, f := range libdvm.Functions() {
		seen[f.Class] = true
	}
	for c, ok := range seen {
		if !ok {
			t.Errorf("no function has class %v", libdvm.Class(c))
		}
	}
}

func TestLookup(t *testing.T) {
	f := libdvm.Lookup("insrb_")
	if f == nil || f.Arg("BufferHeader[]") == nil || f.Arg("BufferHeader[]").Name != "BufferHeader" {
		t.Fatalf("insrb_ lacks its array of headers: %+v", f)
	}
	if libdvm.Lookup("crtshgg_") != nil {
		t.Error("a function outside the table has a row")
	}
	if r := libdvm.RowOfBytes([]byte("crtda_")).Ret; len(r) != 1 || r[0].Key != "ArrayHandlePtr" {
		t.Error("crtda_ returns no handle")
	}
}

// Functions of input and output outside the table share a row that is nobody's
// own.
func TestUnlistedInputAndOutput(t *testing.T) {
	for _, name := range []string{"dvm_open", "dvm_creat", "dvm_close", "dvm_read", "dvm_write", "dvm_lseek", "dvm_access", "dvm_unlink", "dvm_vscanf", "dvm_vfscanf", "dvm_"} {
		f := libdvm.RowOf(name)
		if f == nil || !f.Unlisted || f.Class != libdvm.IO || f.Result != libdvm.ResultStatus || f.RetTime != libdvm.TimeMax {
			t.Errorf("%s: %+v, want input or output with a status", name, f)
		}
		if f != libdvm.RowOfBytes([]byte(name)) || libdvm.Lookup(name) != nil {
			t.Errorf("%s: not the same row by bytes, or one of its own", name)
		}
	}
	for _, name := range []string{"dvmopen", "xdvm_open", "crtshgg_", ""} {
		if f := libdvm.RowOf(name); f != nil || libdvm.RowOfBytes([]byte(name)) != nil {
			t.Errorf("%q: %+v, want no row", name, f)
		}
	}
	if f := libdvm.RowOf("dvm_fread"); f != libdvm.Lookup("dvm_fread") {
		t.Errorf("dvm_fread: %+v, want its own row", f)
	}
}

// The functions that must have a row: those of real traces (123) and of the
// designs of 2000 and 2010.
func TestDocumentedFunctionsAreRows(t *testing.T) {
	const documented = `aarrcp_ across_ addhdr_ align_ amvmap_ arrcpy_ arrmap_ begbl_ binter_ biof_ blkdiv_ bploop_
		bsloop_ bsynch_ clocel_ copelm_ crtamv_ crtbg_ crtda_ crtpl_ crtps_ crtrbl_ crtrbp_ crtrda_ crtred_ crtrg_
		crtshg_ delamv_ delarm_ delbg_ delda_ delhdr_ delmvm_ delobj_ delps_ delrg_ delshg_ distr_ dopl_ dvm_Init
		dvm_dfread dvm_dfwrite dvm_exit dvm_fclose dvm_feof dvm_ferror dvm_fflush dvm_fgetc dvm_fgets dvm_fopen
		dvm_fprintf dvm_fputc dvm_fputs dvm_fread dvm_fscanf dvm_fseek dvm_ftell dvm_fwrite dvm_printf dvm_puts
		dvm_remove dvm_rewind dvm_void_fprintf dvm_void_printf einter_ eiof_ elmcpy_ endbl_ endpl_ enloop_ exfrst_
		genblk_ getam_ getamr_ getamv_ getind_ getlen_ getps_ getrnk_ getsiz_ imlast_ insrb_ insred_ inssh_ insshd_
		lindtp_ loadbg_ loadrb_ locind_ locsiz_ malign_ mapam_ mappl_ mdistr_ mps_Barrier mrealn_ mredis_ psview_
		realn_ recvsh_ redis_ rlocel_ rtl_Waitrequest runam_ rwelm_ sendsh_ setelw_ setind_ setpsw_ srmem_ stopam_
		strtrd_ strtsh_ troff_ tron_ tstda_ tstio_ waitbg_ waitcp_ waitrb_ waitrd_ waitsh_ wlocel_
		delred_ eloop_ saverv_ incsh_ incshd_`
	for name := range strings.FieldsSeq(documented) {
		if libdvm.Lookup(name) == nil {
			t.Errorf("%s has no row", name)
		}
	}
}

package call

import (
	"fmt"
	"io"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
)

// listed is a source of calls that reuses one call, as readers do.
type listed struct {
	calls []Call
	at    int
	now   Call
	exit  Exit
}

func (l *listed) Header() *Header         { return &Header{} }
func (l *listed) Exit() *Exit             { return &l.exit }
func (l *listed) Warnings() []*diag.Error { return nil }

func (l *listed) Next() (*Call, error) {
	if l.at == len(l.calls) {
		return nil, io.EOF
	}
	l.now = l.calls[l.at]
	l.at++
	return &l.now, nil
}

// Halves of calls have one number exactly when their parameters and lines are
// equal, whether the reader remembered them or not.
func TestBlocksHaveOneNumberWhenTheyAreEqual(t *testing.T) {
	var calls []Call
	for _, fixed := range []bool{false, true} {
		for _, rank := range []string{"1", "12"} {
			for _, elems := range [][]string{nil, {"1", "2"}, {"12"}} {
				for _, line := range []string{"", "Dim0"} {
					var c Call
					c.Args.Add("Rank", libdvm.Decimal, []byte(rank))
					c.Args.AddArray("Size", libdvm.Decimal, libdvm.Vector)
					for _, e := range elems {
						c.Args.AddElem(c.Args.At(1), []byte(e))
					}
					if line != "" {
						c.Text = append(c.Text, []byte(line))
					}
					if fixed {
						c.Args.Fix(nil, c.Text)
					}
					calls = append(calls, c, c)
				}
			}
		}
	}
	r, err := Record(&listed{calls: calls})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Len() {
		if !r.Call(i).Args.Equal(&calls[i].Args) || fmt.Sprint(r.Call(i).Text) != fmt.Sprint(calls[i].Text) {
			t.Errorf("call %d is %v, want %v", i, r.Call(i), calls[i])
		}
		for j := range r.Len() {
			a, _ := r.Blocks(i)
			b, _ := r.Blocks(j)
			equal := calls[i].Args.Equal(&calls[j].Args) && fmt.Sprint(calls[i].Text) == fmt.Sprint(calls[j].Text)
			if (a == b) != equal {
				t.Errorf("calls %d and %d have blocks %d and %d, equal: %v", i, j, a, b, equal)
			}
		}
	}
}

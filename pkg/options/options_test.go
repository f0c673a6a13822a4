package options_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"dvmtools/pkg/options"
)

// Every field of the model has a row, under the name of its record, and takes
// the values of the row and no others.
func TestChoicesAreTheFieldsOfTheModel(t *testing.T) {
	choices := options.Choices()
	model := reflect.TypeFor[options.Model]()
	if len(choices) != model.NumField() {
		t.Fatalf("%d choices for %d fields", len(choices), model.NumField())
	}
	for i, c := range choices {
		if tag := model.Field(i).Tag.Get("json"); tag != c.Name {
			t.Errorf("choice %q stands at the field %q", c.Name, tag)
		}
		m := options.Defaults()
		if got := c.Get(&m); got != c.Values[0] {
			t.Errorf("%s: the default is %q, want %q", c.Name, got, c.Values[0])
		}
		for _, v := range c.Values {
			if err := c.Set(&m, v); err != nil || c.Get(&m) != v || reflect.ValueOf(m).Field(i).String() != v {
				t.Errorf("%s: set to %q it is %q, error %v", c.Name, v, c.Get(&m), err)
			}
			// Nothing else has changed.
			others := m
			_ = c.Set(&others, c.Values[0])
			if others != options.Defaults() {
				t.Errorf("%s: setting it changes %+v", c.Name, others)
			}
		}
		before := m
		if err := c.Set(&m, "no such value"); err == nil || m != before {
			t.Errorf("%s: takes a value that there is not, error %v", c.Name, err)
		}
	}
}

func TestRecordOfDefaults(t *testing.T) {
	got, err := json.Marshal(options.Defaults())
	if want := `{"collectives":"flat","across":"formula","balance":"none","async":"synced"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

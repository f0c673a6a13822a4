package report_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast computes the contrast (WCAG 2, 1.4.3) of every colour of text
// on every background that the style sheet combines, in all its themes.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("assets/page.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	if len(blocks) != 3 {
		t.Fatalf("found %d themes, expected light, dark and print", len(blocks))
	}
	variable := regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`)
	for i, block := range blocks {
		colours := map[string]string{}
		for _, m := range variable.FindAllStringSubmatch(block[1], -1) {
			colours[m[1]] = m[2]
		}
		for fg, backgrounds := range map[string]string{"fg": "bg alt warn hot fire pick", "soft": "bg alt", "link": "bg alt"} {
			for bg := range strings.FieldsSeq(backgrounds) {
				if c := contrast(t, colours[fg], colours[bg]); c < 4.5 {
					t.Errorf("theme %d: %s on %s has a contrast of %.2f", i, fg, bg, c)
				}
			}
		}
	}
	// Text has no other colours.
	for _, m := range regexp.MustCompile(`(?:^|[ ;{])(?:color|background): ([^;]+);`).FindAllStringSubmatch(string(css), -1) {
		if !strings.HasPrefix(m[1], "var(--") && m[1] != "inherit" && m[1] != "none" {
			t.Errorf("a colour outside the themes: %s", m[0])
		}
	}
}

// contrast returns the contrast of two colours written as rrggbb.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(s string) float64 {
		n, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			t.Fatalf("%q is no colour", s)
		}
		channel := func(v uint64) float64 {
			x := float64(v&0xff) / 255
			if x <= 0.03928 {
				return x / 12.92
			}
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

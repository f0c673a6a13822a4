package clock

// join makes classes of processors one class of the steps when they work, wait and
// are members alike from beginning to end. The corners of a grid that is blocked evenly
// are one, for example.
func (t *Timetable) join() {
	n := len(t.partition.whole)
	j := joining{like: make([]int32, n)}
	column := make([]int32, n)
	in := func(list []int32, of func(k int) int32) {
		clear(column)
		for k, c := range list {
			column[c] = 1 + of(k)
		}
		j.tell(func(c int) int32 { return column[c] })
	}
	for _, s := range t.shapes {
		in(s.classes, func(k int) int32 { return s.works[k] })
	}
	for _, l := range t.lists {
		in(l, func(int) int32 { return 0 })
	}
	for _, b := range t.books {
		if b != nil {
			j.tell(func(c int) int32 {
				if b[c].member {
					return 1
				}
				return 0
			})
		}
	}
	for c, as := range j.like {
		if int(as) == len(t.first) {
			t.first = append(t.first, int32(c))
		}
	}
	t.like = j.like
	for i := range t.shapes {
		s := &t.shapes[i]
		k := 0
		for n, c := range s.classes {
			if t.isFirst(c) {
				s.classes[k], s.works[k] = t.like[c], s.works[n]
				k++
			}
		}
		s.classes, s.works = s.classes[:k], s.works[:k]
	}
	for i, l := range t.lists {
		own := l[:0]
		for _, c := range l {
			if t.isFirst(c) {
				own = append(own, t.like[c])
			}
		}
		t.lists[i] = own
	}
	for i := range t.works {
		t.works[i].class = t.like[t.works[i].class]
	}
	for a, b := range t.books {
		if b != nil {
			for i, c := range t.first {
				b[i] = b[c]
			}
			t.books[a] = b[:len(t.first)]
		}
	}
}

// isFirst reports whether a class is the first of those that are like it.
func (t *Timetable) isFirst(c int32) bool { return t.first[t.like[c]] == c }

// joining are classes as far as they are alike so far: like numbers them by the first
// of each.
type joining struct{ like []int32 }

// tell tells classes apart of which what says something different.
func (j *joining) tell(what func(class int) int32) {
	type key struct{ like, said int32 }
	number := map[key]int32{}
	for c, as := range j.like {
		k := key{as, what(c)}
		n, ok := number[k]
		if !ok {
			n = int32(len(number))
			number[k] = n
		}
		j.like[c] = n
	}
}

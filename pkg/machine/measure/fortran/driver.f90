! The main program of all measurements. For a line "1 n" or "2 n" it runs the
! loop of the first or the second program n times, and writes the seconds of
! processor time of this process that it took; for n = 0 the grain of the clock.
program driver
implicit none
integer which, n, status
double precision before, after, grain
call prepare1
call prepare2
do
    read (*, *, iostat=status) which, n
    if (status /= 0) stop
    before = 0
    if (n == 0) then
        after = grain()
    else if (which == 1) then
        ! Code and data are brought into the caches again: another program ran.
        call work1(min(n, 3))
        call cpu_time(before)
        call work1(n)
        call cpu_time(after)
    else
        call work2(min(n, 3))
        call cpu_time(before)
        call work2(n)
        call cpu_time(after)
    end if
    write (*, '(es24.16)') after - before
    flush (6)
end do
end program

! The smallest step of the clock that was seen.
double precision function grain()
implicit none
integer step
double precision before, after
grain = 1
do step = 1, 50
    call cpu_time(before)
    after = before
    do while (after <= before)
        call cpu_time(after)
    end do
    grain = min(grain, after - before)
end do
end function

! A chain through all of k elements of 16 words, k a power of two: the first word of
! each is the index of the next. It passes through one window after the other, so
! that the addresses of pages stay at hand. In a window it returns to its beginning
! when it was everywhere, as 4 divides what the factor is above 1 and the term is odd.
subroutine connect(x, k)
implicit none
integer, parameter :: window = 16384
integer k, i, w, next, x(0:16*k-1)
w = min(k, window)
do i = 0, k - 1
    next = int(mod(1664525_8 * mod(i, w) + 1013904223_8, int(w, 8)))
    if (next == 0) then
        next = mod(i - mod(i, w) + w, k)
    else
        next = i - mod(i, w) + next
    end if
    x(16*i) = 16 * next
end do
end subroutine

! Subroutines that do nothing: compiled apart, so that no compiler knows.
subroutine touch
end subroutine
subroutine keep(q)
implicit none
character q(*)
end subroutine
subroutine empty0
end subroutine
subroutine empty1(a)
implicit none
integer a
end subroutine
subroutine empty2(a, b)
implicit none
integer a, b
end subroutine

! Random numbers between 0 and 1, the same in every run.
double precision function random(state)
implicit none
integer*8 state
state = mod(state * 16807_8, 2147483647_8)
random = dble(state) / 2147483647d0
end function

subroutine filli(x, k, lo, hi, seed)
implicit none
integer k, lo, hi, seed, i, x(k)
integer*8 state
double precision random
state = 4711_8 * seed
do i = 1, k
    x(i) = min(hi, lo + int(random(state) * (hi - lo + 1)))
end do
end subroutine

subroutine fillr(x, k, lo, hi, seed)
implicit none
integer k, seed, i
real x(k)
integer*8 state
double precision lo, hi, random
state = 4711_8 * seed
do i = 1, k
    x(i) = real(lo + random(state) * (hi - lo))
end do
end subroutine

subroutine filld(x, k, lo, hi, seed)
implicit none
integer k, seed, i
double precision x(k), lo, hi, random
integer*8 state
state = 4711_8 * seed
do i = 1, k
    x(i) = lo + random(state) * (hi - lo)
end do
end subroutine

subroutine fillc(x, k, lo, hi, seed)
implicit none
integer k, seed, i
complex x(k)
integer*8 state
double precision lo, hi, a, b, random
state = 4711_8 * seed
do i = 1, k
    a = random(state)
    b = random(state)
    x(i) = cmplx(real(lo + a * (hi - lo)), real(lo + b * (hi - lo)))
end do
end subroutine

subroutine filll(x, k, lo, hi, seed)
implicit none
integer k, seed, i
logical x(k)
integer*8 state
double precision lo, hi, random
state = 4711_8 * seed
do i = 1, k
    x(i) = lo + random(state) * (hi - lo) < (lo + hi) / 2
end do
end subroutine

subroutine fillh(x, k, lo, hi, seed)
implicit none
integer k, seed, i
character*1 x(k)
integer*8 state
double precision lo, hi, random
state = 4711_8 * seed
do i = 1, k
    x(i) = char(33 + int(90 * random(state) * min(hi - lo, 1d0)))
end do
end subroutine

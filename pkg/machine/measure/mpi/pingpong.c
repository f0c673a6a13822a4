/* Measures messages between pairs of processes. Standard output has a line for
   each result, which ReadSamples of the package measure reads.

   Arguments: ROUNDS REPEATS SECONDS SIZE...
   In each round and for each pair and size, REPEATS batches of round trips are
   made, each of SECONDS or more; the shortest batch counts. Every size is
   measured in every round, so that a machine that becomes slower or faster
   changes all sizes alike. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 8, MAX_BATCH = 1 << 24, OVERHEADS = 50 };

static int rank;
static char *buffer;

/* await waits for a request without keeping a processor busy, which the processes
   that are measured may need. */
static void await(MPI_Request *request) {
    struct timespec pause = {0, 200000};
    int done = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE))
        nanosleep(&pause, NULL);
}

/* trips makes a number of round trips and returns the seconds of half of one, on
   the first process of the pair. */
static double trips(int first, int second, int size, int count) {
    int i;
    double begin = MPI_Wtime();
    for (i = 0; i < count; i++) {
        if (rank == first) {
            MPI_Send(buffer, size, MPI_BYTE, second, 1, MPI_COMM_WORLD);
            MPI_Recv(buffer, size, MPI_BYTE, second, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, size, MPI_BYTE, first, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, size, MPI_BYTE, first, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / (2.0 * count);
}

/* batch makes round trips of at least the given seconds, after one that is not
   counted. The first process says how many: counts keeps what was found. */
static double batch(int first, int second, int size, double seconds, int *count) {
    int other = rank == first ? second : first;
    double half;
    for (;;) {
        if (rank == first)
            MPI_Send(count, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
        else
            MPI_Recv(count, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (*count == 0) /* only the second process: the batch is complete */
            return 0;
        trips(first, second, size, 1);
        half = trips(first, second, size, *count);
        if (rank == first) {
            int zero = 0;
            if (2 * half * *count >= seconds || *count >= MAX_BATCH) {
                MPI_Send(&zero, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
                return half;
            }
            *count *= 2;
        }
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, n, sizeof *x, ascending);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* reading is the time of reading the clock. */
static double reading(void) {
    double x[1000];
    int i;
    for (i = 0; i < 1000; i++) {
        double begin = MPI_Wtime();
        x[i] = MPI_Wtime() - begin;
    }
    return median(x, 1000);
}

/* overheads measures, on the first process, how long a call takes that sends a
   small message, and one that receives a small message which has arrived: it
   waits for wait seconds before the call, longer than a round trip takes. */
static void overheads(int first, int second, double wait, double *send, double *receive) {
    double s[OVERHEADS], r[OVERHEADS];
    int i;
    for (i = 0; i < OVERHEADS; i++) {
        if (rank == first) {
            double a = MPI_Wtime(), b, c, d;
            MPI_Send(buffer, SMALL, MPI_BYTE, second, 3, MPI_COMM_WORLD);
            b = MPI_Wtime();
            do
                c = MPI_Wtime();
            while (c - b < wait);
            MPI_Recv(buffer, SMALL, MPI_BYTE, second, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            d = MPI_Wtime();
            s[i] = b - a;
            r[i] = d - c;
        } else {
            MPI_Recv(buffer, SMALL, MPI_BYTE, first, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, SMALL, MPI_BYTE, first, 3, MPI_COMM_WORLD);
        }
    }
    *send = *receive = 0;
    if (rank == first) {
        *send = median(s, OVERHEADS);
        *receive = median(r, OVERHEADS);
    }
}

/* tell prints a result of the first process on process 0. */
static void tell(int first, const char *what, int round, int second, int size, double value) {
    if (first != 0) {
        if (rank == first)
            MPI_Send(&value, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Request result;
            MPI_Irecv(&value, 1, MPI_DOUBLE, first, 4, MPI_COMM_WORLD, &result);
            await(&result);
        }
    }
    if (rank == 0) {
        printf("%s %d %d %d %d %.9g\n", what, round, first, second, size, value);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    int processes, rounds, repeats, sizes, n, i, j, round, rep, size, largest = SMALL, length, pairs = 0;
    double seconds;
    char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING], *names;
    int *host, *firsts, *seconds_of, *counts, *size_of;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (argc < 5) {
        fprintf(stderr, "expected ROUNDS REPEATS SECONDS SIZE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    rounds = atoi(argv[1]);
    repeats = atoi(argv[2]);
    seconds = atof(argv[3]);
    sizes = argc - 4;
    size_of = malloc(sizes * sizeof *size_of);
    for (i = 0; i < sizes; i++) {
        size_of[i] = atoi(argv[i + 4]);
        if (size_of[i] > largest)
            largest = size_of[i];
    }
    buffer = malloc(largest);
    names = calloc(processes, MPI_MAX_PROCESSOR_NAME);
    host = malloc(processes * sizeof *host);
    firsts = malloc(processes * (processes + 1) * sizeof *firsts);
    seconds_of = malloc(processes * (processes + 1) * sizeof *seconds_of);
    if (!buffer || !names || !host || !firsts || !seconds_of) {
        fprintf(stderr, "found no memory for messages of %d bytes\n", largest);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(buffer, 1, largest);
    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);

    /* The first two processes of each host, and the first ones of every two hosts. */
    for (i = 0; i < processes; i++) {
        int on_host = 0;
        host[i] = i;
        for (j = i - 1; j >= 0; j--)
            if (!strcmp(names + j * MPI_MAX_PROCESSOR_NAME, names + i * MPI_MAX_PROCESSOR_NAME)) {
                host[i] = host[j];
                on_host++;
            }
        if (on_host == 1) {
            firsts[pairs] = host[i];
            seconds_of[pairs++] = i;
        }
        for (j = 0; j < i && host[i] == i; j++)
            if (host[j] == j) {
                firsts[pairs] = j;
                seconds_of[pairs++] = i;
            }
    }
    if (rank == 0) {
        MPI_Get_library_version(library, &length);
        library[strcspn(library, ",\r\n")] = 0;
        printf("library %s\nclock %.9g %.9g\n", library, MPI_Wtick(), reading());
        for (i = 0; i < processes; i++)
            printf("process %d %s\n", i, names + i * MPI_MAX_PROCESSOR_NAME);
        printf("pairs %d\n", pairs);
        fflush(stdout);
    }
    counts = malloc(pairs * sizes * sizeof *counts);
    for (i = 0; i < pairs * sizes; i++)
        counts[i] = 1;

    for (round = 0; round < rounds; round++)
        for (n = 0; n < pairs; n++) {
            int first = firsts[n], second = seconds_of[n];
            double send = 0, receive = 0, trip = 0;
            MPI_Request all;
            MPI_Ibarrier(MPI_COMM_WORLD, &all);
            await(&all);
            for (size = 0; size < sizes; size++) {
                double best = 0;
                if (rank == first || rank == second)
                    for (rep = 0; rep < repeats; rep++) {
                        int *count = &counts[n * sizes + size], start = *count;
                        double t = batch(first, second, size_of[size], seconds, count);
                        if (rank != first)
                            *count = start;
                        if (rep == 0 || t < best)
                            best = t;
                    }
                if (size == 0)
                    trip = 2 * best;
                tell(first, "message", round, second, size_of[size], best);
            }
            if (rank == first || rank == second)
                overheads(first, second, 10 * trip < 1e-3 ? 10 * trip : 2 * trip < 1e-3 ? 1e-3 : 2 * trip, &send, &receive);
            tell(first, "send", round, second, SMALL, send);
            tell(first, "receive", round, second, SMALL, receive);
        }
    if (rank == 0) {
        printf("end\n");
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}

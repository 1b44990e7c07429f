# Reads a trace of queries_alone (harness/check/queries_alone.c) and prints the mean cost of each kind's queries.
#
# perl watch.pl lines|insns SAID PREFIX <TRACE
#
# SAID is the program's output in a file. Between two calls of the program's mark, this counts either the distinct
# 64-byte lines of the payload that are loaded (trace of lackey: " L address,size", and " M" for both) or the
# instructions (of qemu: one per line). For insns, the batch between a kind's first two marks counts; for lines, the
# single queries.
use strict;
use warnings;
no warnings 'portable';

my ($what, $said, $prefix) = @ARGV;
my ($mark, $low, $high, @counts, %lines);
my $n = 0;

sub start { # what the program has printed by now
    open my $in, '<', $said or die "watch: $said: $!\n";
    while (<$in>) {
        ($low, $high) = (hex $1, hex($1) + $2) if /^payload (\w+) (\d+)/;
        $mark = hex $1 if /^mark (\w+)/;
    }
}

sub at_mark {
    push @counts, $what eq 'lines' ? scalar keys %lines : $n;
    %lines = ();
    $n = 0;
}

# The program prints the address of its mark before the first call.
my $n_read = 0;
while (my $line = <STDIN>) {
    if (!defined $mark) {
        start() if $n_read++ % 1000 == 0;
        next if !defined $mark;
    }
    if ($what eq 'insns') {
        next unless $line =~ m{^Trace \d+: \S+ \[\w+/(\w+)/};
        hex $1 == $mark ? at_mark() : $n++;
    } elsif ($line =~ /^I\s+(\w+),/) {
        at_mark() if hex $1 == $mark;
    } elsif ($line =~ /^ [LM] (\w+),(\d+)/) {
        my ($first, $last) = (hex $1, hex($1) + $2 - 1);
        next if $last < $low || $first >= $high;
        $lines{$_} = 1 for $first >> 6 .. $last >> 6;
    }
}

open my $in, '<', $said or die "watch: $said: $!\n";
my $at = 0; # marks so far
while (<$in>) {
    next unless /^kind (\S+) (\S+) (\d+)/;
    my ($kind, $workload, $n_queries) = ($1, $2, $3);
    my $sum = 0;
    die "watch: the trace has too few marks\n" if $at + 3 + $n_queries > @counts;
    if ($what eq 'insns') {
        $sum = $counts[$at + 1];
    } else {
        $sum += $counts[$at + 3 + $_] for 0 .. $n_queries - 1;
    }
    $at += 3 + $n_queries;
    printf "%s\t%s/%s\t%.2f\n", $prefix, $kind, $workload, $sum / $n_queries if $n_queries;
}

"""Compares scores of a GPU with scores of a processor, number by number.

usage: agree.py FOLDER

FOLDER has the files dump-cpu-SEMANTICS.jsonl and dump-cuda-SEMANTICS.jsonl that efoc eval --dump
wrote. Fails if a score is off by more than rounding explains: 1e-4 of it, or 1e-9 below 1e-8.
"""
import json
import os
import sys

SEMANTICS = ('nsmp', 'fit', 'mixed')


def lines(folder, device, semantics):
    with open(os.path.join(folder, f'dump-{device}-{semantics}.jsonl')) as f:
        return [json.loads(line) for line in f]


def compare(folder, semantics):
    """Prints how far the two are apart, and returns how many scores are off."""
    off, relative, moved, worst = [], [], 0, {}
    for a, b in zip(lines(folder, 'cpu', semantics), lines(folder, 'cuda', semantics), strict=True):
        for want, got, rank, other in zip(a['scores'], b['scores'], a['ranks'], b['ranks'], strict=True):
            error = abs(got - want)
            if not error <= (1e-4 * want if want >= 1e-8 else 1e-9):  # NaN is off
                off.append((error, a['type'], want, got))
            if want >= 1e-8:
                relative.append(error / want)
                worst[a['type']] = max(worst.get(a['type'], 0), error / want)
            moved += rank != other
    relative.sort()
    if not relative:
        sys.exit(f'{semantics}: no score is 1e-8 or more')
    print(f'{semantics}: {len(worst)} shapes, {len(relative)} scores of 1e-8 or more, relative difference: median {relative[len(relative) // 2]:.1e}, '
          f'99% {relative[len(relative) * 99 // 100]:.1e}, largest {relative[-1]:.1e}; {moved} ranks moved; {len(off)} scores are off')
    for error, shape, want, got in sorted(off, reverse=True)[:3]:
        print(f'  {shape}: {got:.6g}, want {want:.6g}')
    if off:
        print('  largest by shape:', ', '.join(f'{shape} {x:.0e}' for shape, x in sorted(worst.items(), key=lambda x: -x[1])[:8]))
    return len(off)


def main():
    failed = 0
    for semantics in SEMANTICS:
        try:
            failed += compare(sys.argv[1], semantics)
        except OSError as e:
            print(f'{semantics}: {e}')
            failed += 1
    sys.exit(failed > 0)


main()

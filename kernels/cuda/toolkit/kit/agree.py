"""Compares scores of a GPU with scores of a processor, number by number.

usage: agree.py FOLDER

FOLDER has the files scores-cpu-SEMANTICS.jsonl and scores-cuda-SEMANTICS.jsonl that efoc eval --state wrote, and
scores-cpu-SEMANTICS.json of --json. Fails if a score is off by more than rounding explains: 1e-4 of it, or 1e-9 below 1e-8.
"""
import json
import os
import sys

SEMANTICS = ('nsmp', 'fit', 'mixed')


def results(folder, device, semantics):
    """Returns the shape, scores and ranks of each query."""
    with open(os.path.join(folder, f'scores-cpu-{semantics}.json')) as f:
        names = [shape['name'] for shape in json.load(f)['shapes']]
    with open(os.path.join(folder, f'scores-{device}-{semantics}.jsonl')) as f:
        next(f)  # the header
        return [(names[batch['group']], x['scores'], x['ranks']) for batch in map(json.loads, f) for x in batch['results']]


def compare(folder, semantics):
    """Prints how far the two are apart, and returns how many scores are off."""
    off, relative, moved, worst = [], [], 0, {}
    for (shape, *a), (_, *b) in zip(results(folder, 'cpu', semantics), results(folder, 'cuda', semantics), strict=True):
        for want, got, rank, other in zip(a[0], b[0], a[1], b[1], strict=True):
            error = abs(got - want)
            if not error <= (1e-4 * want if want >= 1e-8 else 1e-9):  # NaN is off
                off.append((error, shape, want, got))
            if want >= 1e-8:
                relative.append(error / want)
                worst[shape] = max(worst.get(shape, 0), error / want)
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

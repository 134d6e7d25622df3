"""Prints the times of a GPU beside those of the NSMP paper, of PyTorch and of the processor.

usage: times.py FOLDER

FOLDER may have gpu-GRAPH-*.json and processor-GRAPH.json of efoc bench, and torch-MODE-GRAPH.json of
torchgraph.py, where GRAPH is fb or nell. A row has milliseconds a query for each shape.
"""
import glob
import json
import os
import sys

GRAPHS = {'fb': "a graph of FB15k-237's size", 'nell': "a graph of NELL995's size"}
SEMANTICS = ('nsmp', 'fit', 'mixed')
TEN = 'pni 2il 3il 2m 2nm 3mp 3pm im 3c 3cm'.split()
OTHERS = '1p 2p 3p 2i 3i pi ip 2u up 2in 3in inp pin'.split()
# Inference time of NSMP and FIT on one A100, at batch 1 and rank 1000: NSMP paper, appendix. Its columns are TEN.
PAPER = {
    ('fb', 'nsmp'): (15.8, 10.6, 14.6, 15.2, 15.2, 25.6, 23.4, 18.8, 34.0, 40.6),
    ('fb', 'fit'): (93.4, 48.4, 73.4, 47.8, 71.2, 69.4, 74.4, 69.8, 2482.2, 2824.2),
    ('nell', 'nsmp'): (41.5, 37.0, 39.6, 41.0, 38.0, 61.2, 57.8, 44.2, 78.2, 90.4),
    ('nell', 'fit'): (843.0, 419.0, 630.6, 422.6, 649.6, 636.0, 632.4, 634.2, 11832.4, 11149.9),
}


def reports(folder, pattern):
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        with open(path) as f:
            yield json.load(f)


def measured(folder, pattern):
    """Milliseconds by semantics, batch and shape, and what failed."""
    times, failed = {}, []
    for report in reports(folder, pattern):
        for shape in report['shapes']:
            for answer in shape['answers']:
                if answer.get('error'):
                    failed.append(f'{answer["semantics"]} {shape["name"]} batch {answer["batch"]}: {answer["error"]}')
                else:
                    times[answer['semantics'], answer['batch'], shape['name']] = 1e3 * answer['best']['seconds']['median']
    return times, failed


def row(title, shapes, times):
    if any(shape in times for shape in shapes):
        digits = lambda ms: 1 if ms >= 10 else 4
        cells = (f'{times[shape]:8.{digits(times[shape])}f}' if shape in times else ' ' * 8 for shape in shapes)
        print(f'{title:12s}', *cells)


def table(folder, graph, batch, shapes):
    gpu, _ = measured(folder, f'gpu-{graph}-*.json')
    processor, _ = measured(folder, f'processor-{graph}.json')
    torch = {}  # the fastest of its modes
    for report in reports(folder, f'torch-*-{graph}.json'):
        for t in report['times']:
            if t['batch'] == batch:
                torch[t['shape']] = min(torch.get(t['shape'], t['ms_per_query']), t['ms_per_query'])
    shapes = [shape for shape in shapes if any((semantics, batch, shape) in gpu for semantics in SEMANTICS)]
    if not shapes:
        return
    print(f'{GRAPHS[graph]}, batch {batch}, ms a query')
    print(' ' * 12, *(f'{shape:>8s}' for shape in shapes))
    for semantics in SEMANTICS:
        row(f'{semantics} GPU', shapes, {shape: gpu[key] for shape in shapes if (key := (semantics, batch, shape)) in gpu})
        if batch == 1:
            row(f'{semantics} paper', shapes, dict(zip(TEN, PAPER.get((graph, semantics), ()))))
        if semantics == 'nsmp':
            row('  PyTorch', shapes, torch)
        row('  processor', shapes, {shape: processor[key] for shape in shapes if (key := (semantics, batch, shape)) in processor})
    print()


def main():
    folder = sys.argv[1]
    if any(report.get('device', '').startswith('FAKE') for report in reports(folder, 'gpu-*.json')):
        print("THESE ARE NOT A GPU'S TIMES: a fake driver launches nothing\n")
    times, failed = measured(folder, 'gpu-*.json')
    for graph in GRAPHS:
        for batch in sorted({batch for _, batch, _ in times}):
            for shapes in (TEN, OTHERS) if batch == 1 else (TEN + OTHERS,):
                table(folder, graph, batch, shapes)
    print(f'{len(times)} times')
    for text in failed:
        print(text)


main()

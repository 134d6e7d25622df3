"""Prints the times of a GPU beside those of PyTorch and of the processor.

usage: times.py FOLDER

FOLDER may have gpu*.json and processor.json of efoc bench, and torch-*.json of torchgraph.py.
"""
import glob
import json
import os
import sys


def read(path):
    with open(path) as f:
        return json.load(f)


def answers(folder, pattern):
    """Yields shape and answer of all reports of efoc bench that match."""
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        for shape in read(path)['shapes']:
            for answer in shape['answers']:
                yield shape['name'], answer


def main():
    folder = sys.argv[1]
    torch = {}  # the fastest of its modes
    for path in sorted(glob.glob(os.path.join(folder, 'torch-*.json'))):
        for t in read(path)['times']:
            key = t['shape'], t['batch']
            torch[key] = min(torch.get(key, t['ms_per_query']), t['ms_per_query'])
    processor = {(s, a['semantics'], a['batch']): 1e3 * a['seconds']['median'] for s, a in answers(folder, 'processor.json')}
    print(f'{"semantics":9s} {"batch":>5s} shape  {"ms/query":>9s} {"queries/s":>9s} {"spread":>6s}  {"PyTorch":>9s} {"times":>6s}  {"processor":>9s}')
    for shape, a in sorted(answers(folder, 'gpu*.json'), key=lambda x: (x[1]['semantics'], x[1]['batch'])):
        seconds, semantics, batch = a['seconds'], a['semantics'], a['batch']
        ms = 1e3 * seconds['median']
        peer, own = torch.get((shape, batch)), processor.get((shape, semantics, batch))
        spread = f'{100 * (seconds["max"] - seconds["min"]) / seconds["median"]:5.0f}%'
        compared = f'{peer:9.4f} {peer / ms:5.1f}x' if peer and semantics == 'nsmp' else ' ' * 16
        print(f'{semantics:9s} {batch:5d} {shape:5s}  {ms:9.4f} {1e3 / ms:9.0f} {spread:>6s}  {compared}  {f"{own:9.3f}" if own else ""}')


main()

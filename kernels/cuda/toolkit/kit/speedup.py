"""Prints how many times faster efoc is than PyTorch on the same card, shape by shape.

usage: speedup.py SEMANTICS.json TORCH.log COMPILE.log

SEMANTICS.json is of efoc bench, the logs are of torchpeer.py --time; one that is missing is left out.
"""
import json, os, re, sys

def peer(path):
    """Milliseconds a query of each shape."""
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        found = re.findall(r'^(\w+) +n= *\d+ MRR +[\d.]+ +([\d.]+) ms/query$', f.read(), re.M)
    return {shape: float(ms) for shape, ms in found}

def main():
    with open(sys.argv[1]) as f:
        shapes = json.load(f)['shapes']
    eager, compiled = peer(sys.argv[2]), peer(sys.argv[3])
    print('| shape | efoc, ms | PyTorch, ms | times | torch.compile, ms | times |\n|---|---:|---:|---:|---:|---:|')
    ratios = {'eager': [], 'compiled': []}
    for s in shapes:
        ours = [1000 * a['seconds']['median'] for a in s['answers'] if a['semantics'] == 'nsmp' and a['engine'] == 'cuda' and a['batch'] == 1]
        if len(ours) != 1:
            sys.exit(f"{sys.argv[1]}: {s['name']} has {len(ours)} measurements by nsmp on the GPU, want 1")
        line = f"| {s['name']} | {ours[0]:.3f} |"
        for name, times in (('eager', eager), ('compiled', compiled)):
            ms = times.get(s['name'])
            line += f' {ms:.2f} | {ms / ours[0]:.1f} |' if ms else ' | |'
            if ms:
                ratios[name].append(ms / ours[0])
        print(line)
    mean = {name: f'{sum(r) / len(r):.1f}' if r else '' for name, r in ratios.items()}
    print(f"| mean | | | {mean['eager']} | | {mean['compiled']} (target ≥ 20) |")

main()

"""Runs the PyTorch implementation of NSMP, which computes on a processor, on the first GPU.

usage: torchpeer.py PROGRAM ARGUMENT...

What it changes in the program's text, and nothing else: tensors are made on the GPU, rows of
the graph are multiplied there, each query is answered once before it is timed, for the first
time makes the matrices of its relations, and times end when the GPU is done.
"""
import os, sys
import torch

CHANGES = [
    ('x = torch.from_numpy(mat(rel if to_tail else rel ^ 1) @ sym.numpy())',
     'x = on_gpu(rel if to_tail else rel ^ 1) @ sym'),
    ('p = answer(ty, q); tm[ty]', 'p = answer(ty, q); torch.cuda.synchronize(); t0 = time.perf_counter(); p = answer(ty, q); torch.cuda.synchronize(); tm[ty]'),
    ('s = p.numpy()', 's = p.cpu().numpy()'),
    ('def N(p):', '''G = {}
def on_gpu(r):
    if r not in G:
        m = mat(r); G[r] = torch.sparse_csr_tensor(*(torch.from_numpy(x.astype(t)).to(E.device) for x, t in ((m.indptr, np.int64), (m.indices, np.int64), (m.data, np.float32))), size=(n, n))
    return G[r]
def N(p):'''),
]

def main():
    path = sys.argv[1]
    with open(path) as f:
        text = f.read()
    for old, new in CHANGES:
        if text.count(old) != 1:
            sys.exit(f'{path}: expected once, found {text.count(old)} times: {old}')
        text = text.replace(old, new)
    if os.environ.get('TORCHPEER_CHECK'):  # in a rehearsal without a GPU
        compile(text, path, 'exec')
        print('the program is changed as expected')
        return
    torch.set_default_device('cuda')
    load = torch.load
    torch.load = lambda p: load(p, map_location='cuda')
    print(torch.__version__, torch.cuda.get_device_name(0))
    sys.argv = sys.argv[1:]
    exec(compile(text, path, 'exec'), {'__name__': '__main__', '__file__': path})

main()

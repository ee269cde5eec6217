"""Makes texts that go on from one begin. Usage: story.py MODULE TOKENIZER PROMPT [COUNT]

The module is one that keeps its caches (vta-compile --context-length).
Each text has another seed, and appears as it is made.
"""

import sys

import vta


def show(piece):
    print(piece, end="", flush=True)


def main(module, tokenizer, prompt, count=1):
    session = vta.Module(module).session()
    tokenizer = vta.Tokenizer(tokenizer)
    for seed in range(1, int(count) + 1):
        session.clear_state()  # a new text
        show(prompt)
        made = session.generate(tokenizer, prompt, max_tokens=60, temperature=1, seed=seed, show=show)
        print(f"\n({made['tokens']} tokens; {made['end']})")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: story.py MODULE TOKENIZER PROMPT [COUNT]")
    try:
        main(*sys.argv[1:])
    except vta.Error as error:
        sys.exit(f"story.py: {error}")

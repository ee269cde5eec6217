#!/usr/bin/python3
"""Searches the schedules of one layer with Optuna, with vta-tune as the evaluator.

usage: optuna_search.py [--task N] [--trials N] VTA-TUNE-COMMAND...

For example:
  optuna_search.py --trials 50 build/bin/vta-tune resnet18.onnx --dram ddr3-1066 --serve-candidates

Each field of a schedule is a categorical parameter of Optuna. Fields that do not fit the accelerator together make a
pruned trial. Needs Debian's package python3-optuna. docs/tuning.md describes the requests.
"""

import argparse
import json
import subprocess
import sys


class Evaluator:
    """vta-tune --serve-candidates, as a process."""

    def __init__(self, command):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        """The answer to one request. Raises RuntimeError for a request that is refused."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("vta-tune ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        """Ends the process."""
        self._process.stdin.close()
        return self._process.wait()


def search(evaluator, task, trials):
    """The fastest schedule that Optuna finds."""
    import optuna  # only here, so that --help works without it

    fields = evaluator.ask(do="find", task=task)["fields"]

    def cycles(trial):
        # A field with one value is no choice.
        schedule = {name: trial.suggest_categorical(name, values) if len(values) > 1 else values[0]
                    for name, values in fields.items()}
        candidate = evaluator.ask(do="find", task=task, schedule=schedule)["candidate"]
        if candidate is None:
            raise optuna.TrialPruned("does not fit the accelerator")
        result = evaluator.ask(do="evaluate", task=task, candidates=[candidate])["results"][0]
        if "cycles" not in result:
            raise optuna.TrialPruned(result["error"])
        return result["cycles"]

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(cycles, n_trials=trials)
    return evaluator.ask(do="best", task=task)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", type=int, default=0)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="vta-tune MODEL ... --serve-candidates")
    arguments = parser.parse_args()
    evaluator = Evaluator(arguments.command)
    try:
        best = search(evaluator, arguments.task, arguments.trials)
    except RuntimeError as error:
        print(f"optuna_search.py: {error}", file=sys.stderr)
        return 1
    print(json.dumps(best, indent=2))
    return evaluator.close()


if __name__ == "__main__":
    sys.exit(main())

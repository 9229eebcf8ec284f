import { expect, it } from 'vitest';
import { drawRun } from './draw-run.ts';
import { exampleInput } from './example-input.ts';
import { rehearse } from './rehearse.ts';

it('computes several units at once, each as if it were alone', async () => {
  const names = ['rx01', 'rx02', 'rx03', 'rx04', 'rx05', 'rx06'];
  const [unit] = exampleInput().units;
  if (unit === undefined) throw new Error('The example has units.');
  const of = (some: readonly string[]) =>
    exampleInput({ hours: 1, units: some.map((name) => ({ ...unit, name })), commonUnits: some, typicalUnits: [] });
  const progress: number[] = [];
  const options = {
    draws: 1,
    signal: new AbortController().signal,
    onProgress: (share: number) => progress.push(share),
  };
  const { runs } = await rehearse(of(names), options);
  const alone = await Promise.all(names.map((name) => drawRun({ input: of([name]), draw: 0 }, () => {})));
  expect(runs.map(({ units }) => units)).toEqual([alone.flatMap(({ units }) => units)]);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
}, 60_000);

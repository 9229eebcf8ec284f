import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExperimentsUnderTest, startExperiments } from '../testing/test-experiments.ts';
import { bodyOf, errorOf, request } from '../testing/test-leader.ts';

const put = ({ handlers }: ExperimentsUnderTest, experiment: string, unit: string, label: string) =>
  handlers.putUnitLabel(request({ experiment }, { unit, label }));

const labels = async ({ handlers }: ExperimentsUnderTest, experiment: string) =>
  bodyOf(await handlers.getUnitLabels(request({ experiment }, undefined)));

describe('unit labels', () => {
  it('are set, changed and removed, by PUT and PATCH alike, and shown to the pages', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    const answer = await put(leader, 'a', 'rx02', ' Ramp ');
    expect(answer).toEqual({ status: 201, body: { status: 'success' } });
    await leader.handlers.patchUnitLabel(request({ experiment: 'a' }, { unit: 'rx01', label: 'Control' }));
    expect(await labels(leader, 'a')).toEqual({ rx01: 'Control', rx02: 'Ramp' });
    await put(leader, 'a', 'rx02', 'Steep ramp');
    await put(leader, 'a', 'rx01', '   ');
    expect(await labels(leader, 'a')).toEqual({ rx02: 'Steep ramp' });
    expect(leader.announced.at(-1)).toEqual({
      live: 'labels',
      key: 'a',
      data: { experiment: 'a', labels: { rx02: 'Steep ramp' } },
    });
  });

  it('may be kept by a unit that is in no inventory, but not by what can be no unit', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    await put(leader, 'a', 'long-gone', 'Old one');
    expect(await labels(leader, 'a')).toEqual({ 'long-gone': 'Old one' });
    expect(await errorOf(put(leader, 'a', '$broadcast', 'x'))).toMatchObject({ status: 400, code: 'invalid_body' });
  });

  it('belong to the latest experiment under the name current', async () => {
    await using leader = await startExperiments();
    expect(await labels(leader, 'current')).toEqual({});
    expect(await errorOf(put(leader, 'current', 'rx01', 'x'))).toMatchObject({ status: 404 });
    await leader.create('a');
    await leader.create('b');
    await put(leader, 'current', 'rx01', 'x');
    expect(await labels(leader, 'current')).toEqual({ rx01: 'x' });
    expect(await labels(leader, 'b')).toEqual({ rx01: 'x' });
    expect(await labels(leader, 'a')).toEqual({});
    expect(leader.announced.at(-1)).toMatchObject({ key: 'b' });
  });

  it('are refused when bad (400), in no experiment (404) or taken by another unit (409), in this order', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    await put(leader, 'a', 'rx01', 'Control');
    expect(await errorOf(put(leader, 'nobody', 'rx01', 'x'.repeat(101)))).toMatchObject({ code: 'label_invalid' });
    expect(await errorOf(put(leader, 'nobody', 'rx01', 'x'))).toMatchObject({
      status: 404,
      code: 'experiment_not_found',
    });
    expect(await errorOf(put(leader, 'a', 'rx02', ' Control'))).toMatchObject({ status: 409, code: 'label_taken' });
    await put(leader, 'a', 'rx01', 'Control');
    expect(await labels(leader, 'a')).toEqual({ rx01: 'Control' });
    expect(await labels(leader, 'nobody')).toEqual({});
  });

  it('are distinct within an experiment, and change only for the named unit', async () => {
    const unit = fc.constantFrom('rx01', 'rx02', 'rx03', '__proto__');
    const label = fc.constantFrom('', ' ', 'Control', 'Ramp', ' Ramp ', 'control');
    await using leader = await startExperiments();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(unit, label), { maxLength: 12 }), async (wishes) => {
        run += 1;
        const experiment = `run ${run}`;
        await leader.create(experiment);
        const expected = new Map<string, string>();
        for (const [name, text] of wishes) {
          const wanted = text.trim();
          const holder = [...expected].find(([, held]) => held === wanted)?.[0];
          const isTaken = wanted !== '' && holder !== undefined && holder !== name;
          const outcome = put(leader, experiment, name, text);
          if (isTaken) expect(await errorOf(outcome)).toMatchObject({ code: 'label_taken' });
          else await outcome;
          if (wanted === '') expected.delete(name);
          else if (!isTaken) expected.set(name, wanted);
        }
        const shown = await leader.handlers.getUnitLabels(request({ experiment }, undefined));
        expect(new Map(Object.entries(shown.body))).toEqual(new Map([...expected].sort()));
      }),
      { numRuns: 25 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stirring, until, world } from '../testing/test-jobs.ts';
import type { JobRuntime } from './job-runtime.ts';

const names = ['stirring', 'od_reading', 'heater'] as const;
type Name = (typeof names)[number];

type Step =
  | { readonly do: 'run' | 'stop' | 'overtake' | 'fail'; readonly name: Name }
  | { readonly do: 'update'; readonly name: Name; readonly rpm: number }
  | { readonly do: 'sleep' | 'wake'; readonly name: Name }
  | { readonly do: 'crash' | 'restart' };

const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'overtake' as const, 'fail' as const), name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('update' as const), name, rpm: fc.integer({ min: -10, max: 6000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('sleep' as const, 'wake' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('crash' as const, 'restart' as const) }) },
);

interface Expected {
  readonly id: number;
  rpm: number;
  state: 'ready' | 'sleeping';
}

describe('the runtime under random orders', () => {
  it('never runs two of a name, gives every stop precedence, and its record equals the model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const breakers = new Map<string, () => void>();
        const definitions = names.map((one) =>
          stirring(
            (context) => {
              breakers.set(one, () => context.clock.after(0, () => Promise.reject(new Error('broken'))));
              return {};
            },
            { name: one },
          ),
        );
        await using w = await world(definitions);
        let runtime: JobRuntime = w.runtime;
        const model = new Map<Name, Expected>();
        /** Cut by the end of the node, with the value in force. */
        let cut = new Map<Name, number>();
        let started = 0;

        const code = (work: Promise<unknown>) =>
          work.then(
            () => 'done',
            (error: unknown) => Reflect.get(Object(error), 'code'),
          );
        const take = async (order: Step) => {
          if (!('name' in order)) {
            if (order.do === 'restart') await runtime.stop();
            cut = new Map([...cut, ...[...model].map(([one, { rpm }]) => [one, rpm] as const)]);
            model.clear();
            runtime = await w.startRuntime();
            return;
          }
          const present = model.get(order.name);
          const target = { jobName: order.name };
          if (order.do === 'run') {
            expect(await code(w.run(order.name, {}, runtime))).toBe(present ? 'job_already_running' : 'done');
            if (present) return;
            started += 1;
            cut.delete(order.name);
            model.set(order.name, { id: started, rpm: 500, state: 'ready' });
          } else if (order.do === 'stop') {
            await runtime.stopJobs(target);
            model.delete(order.name);
            cut.delete(order.name);
          } else if (order.do === 'overtake') {
            await w.clock.advance(1_000);
            const { generation } = runtime.accept(order.name, {});
            // A job of that name may be up already: then the start is refused for that, before or after the stop.
            const outcome = code(runtime.run(order.name, generation));
            await runtime.stopJobs(target);
            expect(['job_start_overtaken', 'job_already_running']).toContain(await outcome);
            if (!present) started += 1;
            model.delete(order.name);
            cut.delete(order.name);
          } else if (order.do === 'fail') {
            if (!present) return;
            breakers.get(order.name)?.();
            await w.clock.advance(1);
            await until(() => runtime.running(target).length === 0);
            model.delete(order.name);
          } else if (order.do === 'update') {
            const outcome = await code(runtime.update(target, { target_rpm: order.rpm }, 'http'));
            expect(outcome).toBe(present ? 'done' : 'job_not_running');
            if (present) present.rpm = Math.min(Math.max(order.rpm, 0), 5000);
          } else {
            const state = order.do === 'sleep' ? 'sleeping' : 'ready';
            const outcome = await code(runtime.update(target, { $state: state }, 'http'));
            expect(outcome).toBe(present ? 'done' : 'job_not_running');
            if (present) present.state = state;
          }
        };

        for (const order of steps) {
          await take(order);
          const running = runtime.running().map(({ origin, state }) => [origin.jobName, origin.jobId, state.kind]);
          expect(running.sort()).toEqual([...model].map(([one, { id, state }]) => [one, id, state]).sort());
          for (const [one, { rpm }] of model) expect(runtime.settings(one).target_rpm).toBe(rpm);
          const recorded = (await runtime.history(1000)).filter(({ endedAtMs }) => endedAtMs === null);
          expect(recorded.map(({ jobId }) => jobId).sort()).toEqual([...model.values()].map(({ id }) => id).sort());
          expect((await runtime.history(1000)).map(({ jobId }) => jobId)).toHaveLength(started);
          const waiting = runtime.interrupted.map(({ jobName, settings }) => [jobName, settings.target_rpm]);
          expect(waiting.sort()).toEqual([...cut].sort());
        }
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DesiredMaking,
  type KeptDesired,
  nextDesired,
  type PersonsStop,
  withoutStopOrders,
  withStopOrder,
} from './desired-document.ts';
import type { UnitFacts } from './unit-facts.ts';

const making = (more: Partial<DesiredMaking> = {}): DesiredMaking => {
  let ids = 0;
  return {
    leader: 'lead',
    leaderId: '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01',
    shared: '[ui]\n',
    now: 1_000,
    hasPeople: false,
    newId: () => {
      ids += 1;
      return `id ${ids}`;
    },
    ...more,
  };
};
const of = (name: string) => ({ name, uid: `uid of ${name}`, assigned_at: 1 });
const facts = (more: Partial<UnitFacts> = {}): UnitFacts => ({
  experiment: null,
  isActive: true,
  model: null,
  own: '',
  volumeNotes: [],
  ...more,
});
const none: ReadonlySet<string> = new Set();

/** The documents that follow from each other. */
function documents(...all: readonly (UnitFacts | undefined)[]): readonly (KeptDesired | undefined)[] {
  let previous: KeptDesired | undefined;
  return all.map((each) => {
    previous = nextDesired(previous, each, none, making());
    return previous;
  });
}

describe('the next document of a unit', () => {
  it('keeps its version while its content is unchanged', () => {
    const [first, second, third] = documents(facts(), facts(), facts({ isActive: false }));
    expect(second).toBe(first);
    expect([first?.version, third?.version]).toEqual([1, 2]);
  });

  it('orders a unit that leaves an experiment to stop its jobs there', () => {
    const [, moved, freed] = documents(facts({ experiment: of('a') }), facts({ experiment: of('b') }), facts());
    const order = { job_name: null, job_source: null, issued_at: 1_000 };
    expect(moved?.content.stop).toEqual([
      { ...order, stop_id: 'id 1', experiment_uid: 'uid of a', reason: 'reassigned' },
    ]);
    expect(freed?.content.stop).toEqual([
      ...(moved?.content.stop ?? []),
      { ...order, stop_id: 'id 1', experiment_uid: 'uid of b', reason: 'unassigned' },
    ]);
  });

  it('drops the orders that the unit has carried out, and no others', () => {
    const [, moved] = documents(facts({ experiment: of('a') }), facts({ experiment: of('b') }));
    const same = nextDesired(moved, facts({ experiment: of('b') }), new Set(['another']), making());
    expect(same).toBe(moved);
    const done = nextDesired(moved, facts({ experiment: of('b') }), new Set(['id 1']), making());
    expect(done).toMatchObject({ version: 3, content: { stop: [] } });
  });

  it('has no orders for an experiment that was deleted and made again under its name', () => {
    const again = { ...of('a'), uid: 'another uid' };
    const [, next] = documents(facts({ experiment: of('a') }), facts({ experiment: again }));
    expect(next?.content.stop.map(({ experiment_uid }) => experiment_uid)).toEqual(['uid of a']);
  });

  it('gives a file another version with another text only', () => {
    const [first, second] = documents(facts({ own: 'a=1\n' }), facts({ own: 'a=1\n', isActive: false }));
    expect(second?.content.config).toEqual(first?.content.config);
    const third = nextDesired(second, facts({ own: 'a=2\n' }), none, making());
    expect(third?.content.config).toMatchObject({ shared: { version: 1 }, own: { version: 2, text: 'a=2\n' } });
  });

  it('releases a unit that is not a worker any more, and takes it back under a higher version', () => {
    const [never] = documents(undefined);
    expect(never).toBeUndefined();
    const [, released, member] = documents(facts({ experiment: of('a') }), undefined, facts());
    expect(released).toMatchObject({
      version: 2,
      content: { standing: 'released', active: false, experiment: null, stop: [], config: { shared: { text: '' } } },
    });
    expect(member).toMatchObject({ version: 3, content: { standing: 'member', active: true } });
  });

  it('orders a unit that returns to stop its jobs, because it may never have received its release', () => {
    const [, , member, assigned] = documents(
      facts({ experiment: of('a') }),
      undefined,
      facts(),
      facts({ experiment: of('b') }),
    );
    const everything = { experiment_uid: null, job_name: null, job_source: null, reason: 'released' };
    expect(member?.content.stop).toMatchObject([everything]);
    expect(assigned?.content.stop).toMatchObject([everything]);
  });

  it('never decreases its version, and changes it exactly when its content changes', () => {
    const experiment = fc.option(fc.constantFrom('a', 'b').map(of), { nil: null });
    const anyFacts = fc.option(fc.record({ experiment, isActive: fc.boolean() }).map(facts), { nil: undefined });
    fc.assert(
      fc.property(fc.array(anyFacts, { minLength: 1, maxLength: 20 }), (all) => {
        const made = documents(...all).filter((document) => document !== undefined);
        for (const [index, document] of made.entries()) {
          const before = made[index - 1];
          const isSame = JSON.stringify(before?.content) === JSON.stringify(document.content);
          expect(document.version - (before?.version ?? 0)).toBe(isSame ? 0 : 1);
        }
      }),
    );
  });
});

describe('a stop by a person that did not reach the unit', () => {
  const inA = facts({ experiment: of('a') });
  const uid = 'uid of a';
  const first = nextDesired(undefined, inA, none, making());
  if (!first) throw new Error('A worker has a document.');
  const ids = making();
  const ordered = (...stops: readonly PersonsStop[]) =>
    stops.reduce((kept: KeptDesired, stop) => withStopOrder(kept, stop, ids), first);
  const jobsOf = ({ content }: KeptDesired) => content.stop.map(({ job_name }) => job_name);

  it('is in each later document until it is reported', () => {
    const kept = ordered({ experimentUid: uid, jobName: 'stirring' });
    expect(kept).toMatchObject({ version: 2, content: { stop: [{ reason: 'stopped', job_name: 'stirring' }] } });
    const later = nextDesired(kept, { ...inA, own: 'x=1\n' }, none, making());
    expect(later?.content.stop).toEqual(kept.content.stop);
    const done = new Set(kept.content.stop.map(({ stop_id }) => stop_id));
    expect(nextDesired(later, inA, done, making())?.content.stop).toEqual([]);
  });

  it('is a new order when it is repeated: the unit may have executed the first without a report', () => {
    const stop = { experimentUid: uid, jobName: 'stirring' };
    const [once, twice] = [ordered(stop), ordered(stop, stop)];
    expect(twice.content.stop).toHaveLength(1);
    expect(twice.content.stop[0]?.stop_id).not.toBe(once.content.stop[0]?.stop_id);
  });

  it('is dropped when that job is started again, and no other order is', () => {
    const kept = ordered(
      { experimentUid: uid, jobName: 'stirring' },
      { experimentUid: null, jobName: 'stirring' },
      { experimentUid: uid, jobName: 'heating' },
      { experimentUid: uid, jobName: null },
    );
    const left = withoutStopOrders(kept, { experimentUid: uid, jobName: 'stirring' });
    expect(jobsOf(left)).toEqual(['heating', null]);
    expect(left.version).toBe(kept.version + 1);
    expect(withoutStopOrders(kept, { experimentUid: 'another', jobName: 'heating' })).toBe(kept);
  });

  it('is not an order for a unit that is released: it stops everything anyway', () => {
    const released = nextDesired(first, undefined, none, making());
    if (!released) throw new Error('It had a document.');
    expect(withStopOrder(released, { experimentUid: uid, jobName: null }, making())).toBe(released);
  });
});

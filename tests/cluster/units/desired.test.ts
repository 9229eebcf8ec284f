import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { startToyUnit, type ToyUnit } from './toy-unit.ts';

const names = ['u0', 'u1', 'u2'];
const experiments = ['a', 'b'];

/** A simple model of the operator's requests. */
interface Wanted {
  isWorker: boolean;
  isActive: boolean;
  experiment: string | null;
}

const cleanUps: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function startWorld() {
  const folder = await temporaryFolder('units');
  cleanUps.push(() => folder[Symbol.asyncDispose]());
  let leader: LeaderUnderTest = await startLeader({ dataFolder: folder.path });
  cleanUps.push(() => leader[Symbol.asyncDispose]());
  for (const experiment of experiments) await leader.client.createExperiment({ body: { experiment } });
  const units = new Map<string, ToyUnit>();
  for (const name of names) {
    const unit = await startToyUnit(name);
    // So that the next change comes while the last one is on its way.
    unit.takesMs = 15;
    cleanUps.push(() => unit.goDown());
    units.set(name, unit);
  }
  return {
    units,
    get leader() {
      return leader;
    },
    restartLeader: async () => {
      await leader.node.stop();
      leader = await startLeader({ dataFolder: folder.path, clock: leader.clock });
    },
  };
}
type World = Awaited<ReturnType<typeof startWorld>>;

type Step =
  | {
      readonly do: 'enrol' | 'add' | 'remove' | 'free' | 'activate' | 'deactivate' | 'off' | 'on';
      readonly unit: string;
    }
  | { readonly do: 'assign'; readonly unit: string; readonly experiment: string }
  | { readonly do: 'restart leader' };

const unitName = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('assign' as const),
      unit: unitName,
      experiment: fc.constantFrom(...experiments),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('enrol', 'add', 'remove', 'free', 'free', 'activate', 'deactivate', 'off', 'on'),
      unit: unitName,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart leader' } as const) },
);

/** Does the step where it makes sense, and notes what the operator wants since. */
async function run(world: World, wanted: Map<string, Wanted>, each: Step): Promise<void> {
  if (each.do === 'restart leader') return world.restartLeader();
  const { client } = world.leader;
  const unit = world.units.get(each.unit);
  const wish = wanted.get(each.unit);
  if (!unit || !wish) return;
  const params = { reactor_unit: each.unit };
  if (each.do === 'enrol') {
    if (unit.isUp) expect((await unit.enrol(world.leader.url)).status).toBe(200);
  } else if (each.do === 'off') await unit.goDown();
  else if (each.do === 'on') await unit.restart();
  else if (each.do === 'add') {
    await client.registerWorker({ body: params });
    if (!wish.isWorker) Object.assign(wish, { isWorker: true, isActive: true, experiment: null });
  } else if (!wish.isWorker) return;
  else if (each.do === 'assign') {
    await client.assignWorker({ params: { experiment: each.experiment }, body: params });
    wish.experiment = each.experiment;
  } else if (each.do === 'remove') {
    await client.removeWorker({ params });
    wish.isWorker = false;
  } else if (each.do === 'free') {
    if (wish.experiment === null) return;
    await client.unassignWorker({ params: { ...params, experiment: wish.experiment } });
    wish.experiment = null;
  } else {
    wish.isActive = each.do === 'activate';
    await client.setWorkerActivation({ params, body: { is_active: wish.isActive ? 1 : 0 } });
  }
}

/** A unit that obeys this leader is left to be found by it; the others enrol, as units do again and again. */
async function enrolStrangers({ leader, units }: World, wanted: ReadonlyMap<string, Wanted>): Promise<void> {
  for (const unit of units.values()) {
    const isStranger = unit.leaderId === undefined || unit.document?.standing !== 'member';
    if (isStranger && wanted.get(unit.name)?.isWorker) expect((await unit.enrol(leader.url)).status).toBe(200);
  }
}

async function expectDocuments({ leader, units }: World, wanted: ReadonlyMap<string, Wanted>): Promise<void> {
  const statuses = await leader.client.listUnits();
  for (const [name, wish] of wanted) {
    const document = units.get(name)?.document;
    if (!wish.isWorker) {
      expect(document?.standing ?? 'released').toBe('released');
      expect(statuses.map(({ reactor_unit }) => reactor_unit)).not.toContain(name);
      continue;
    }
    expect(document).toMatchObject({ standing: 'member', active: wish.isActive, stop: [] });
    expect(document?.experiment?.name ?? null).toBe(wish.experiment);
    const status = statuses.find(({ reactor_unit }) => reactor_unit === name);
    expect(status).toMatchObject({ liveness: 'online', desired_version: document?.version });
    expect(status?.applied_version).toBe(document?.version);
  }
}

/** All units are workers of one experiment; what comes then is chance. */
const opening = names.flatMap((unit): Step[] => [
  { do: 'enrol', unit },
  { do: 'add', unit },
  { do: 'assign', unit, experiment: 'a' },
]);

describe('the document of a unit', () => {
  it("ends with the operator's last state, for any order of events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18 }), async (steps) => {
        const world = await startWorld();
        const wanted = new Map(names.map((name) => [name, { isWorker: false, isActive: true, experiment: null }]));
        for (const each of [...opening, ...steps]) await run(world, wanted, each);
        for (const unit of world.units.values()) await unit.goUp();
        await eventually(async () => {
          await enrolStrangers(world, wanted);
          await expectDocuments(world, wanted);
        });
        for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
      }),
      { numRuns: 8, interruptAfterTimeLimit: 60_000, endOnFailure: true },
    );
  });
});

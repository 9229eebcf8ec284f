import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import type { Api, DesiredState } from '@lcs/contract';
import { type Clock, VirtualClock, WriterHost } from '@lcs/platform';
import {
  advanceableClock,
  Caller,
  type LeaderUnderTest,
  type StandInLeader,
  startLeader,
  startStandInLeader,
  startToyUnit,
  startUnit,
  temporaryFolder,
  testExperiment,
  type UnitUnderTest,
} from '@lcs/testkit';
import { testCamera } from '../../routes/camera-fixtures.ts';
import { harmlessMachine, laterRelease, noRegistry } from './harmless.ts';
import { Known, lateUnit, lostUnit, measured, type NodeName, realUnits, refusingUnit, toyUnits } from './known.ts';
import { PlainModel } from './plain-model.ts';
import { apis } from './requests.ts';
import { StoredState } from './stored-state.ts';
import { enrolment } from './suggestions/cluster.ts';
import { echoPlugin } from './suggestions/plugins.ts';
import { RealUnitModel, storedUnitState } from './unit-model.ts';

const allowed = '[plugins]\nallow_install=1\n[camera]\nenabled=1\n';

const versionOf = (text: string) => ({ version: 1, sha256: createHash('sha256').update(text).digest('hex'), text });

const model = {
  model_name: 'reactor_40ml',
  model_version: '1.5',
  display_name: 'Reactor 40 mL, v1.5',
  reactor_capacity_ml: 40,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: 36,
  max_temp_to_reduce_heating: 78,
  max_temp_to_disable_heating: 80,
  max_temp_to_shutdown: 85,
  is_legacy: false,
  is_contrib: false,
};

const documentOf = ({ id }: StandInLeader): DesiredState => ({
  leader: 'lead',
  leader_id: id,
  version: 2,
  leader_time: Date.UTC(2026, 0, 1),
  standing: 'member',
  active: true,
  experiment: testExperiment,
  model,
  config: { shared: versionOf(allowed), own: versionOf('') },
  stop: [],
});

const lateMs = 30;
/** How long the readings are that are there from the start. */
const measuredMs = 20 * 60_000;

/** Answers everything alike, after a while. */
async function startAnswering({ status, afterMs }: { readonly status: number; readonly afterMs: number }) {
  const server = createServer(async (_, response) => {
    if (afterMs > 0) await later(afterMs);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Commands of units may need time to pass: the leader's clock continues. */
const passingDuringCommands = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (delayMs, action) => clock.after(delayMs, action),
  every: (intervalMs, action) => clock.every(intervalMs, action),
  sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  hold: (reason) => (reason.startsWith('a command to') ? () => {} : clock.hold(reason)),
});

/** What the refusing unit answers. */
export const refusal = {
  status: 503,
  body: { error: 'Out of order.', cause: 'A test.', remediation: 'None.', status: 503, code: 'internal_error' },
};

const noteFiles = ['f0.txt', 'f1.txt', 'f2.txt'];

export interface TestCluster extends AsyncDisposable {
  readonly leader: LeaderUnderTest;
  /** The unit whose own interface is called; its leader is a stand-in. */
  readonly unit: UnitUnderTest;
  readonly realUnits: readonly UnitUnderTest[];
  readonly known: Known;
  /** Calls by operation id. */
  readonly callers: Readonly<Record<NodeName, Caller<Api>>>;
  /** The leader's store and files. */
  readonly store: StoredState;
  /** Virtual time passes until `work` has ended. */
  whileTimePasses<Result>(work: Promise<Result>): Promise<Result>;
  /** Files that requests take away are there again, and what may be asked for only now and then may be asked for. */
  tidy(round: number): Promise<void>;
}

/** Lets virtual time pass until `work` has ended. */
const passing =
  (clock: VirtualClock): TestCluster['whileTimePasses'] =>
  async (work) => {
    let isDone = false;
    const settle = () => {
      isDone = true;
    };
    work.then(settle, settle);
    for (let step = 0; !isDone || step === 0; step += 1) {
      await clock.advance(250);
      // Something real is waited for: no need to hurry. What polls would only ask in vain.
      if (step > 4) await later(step > 12 ? 12 : 4);
    }
    return work;
  };

/** Of both units there are readings of some time, and a third is offline, before anything else happens. */
async function measure(leader: LeaderUnderTest, clock: VirtualClock): Promise<void> {
  const pass = passing(clock);
  await leader.client.createExperiment({ body: { experiment: measured } });
  for (const reactor_unit of realUnits) {
    const params = { reactor_unit, experiment: measured };
    await pass(leader.client.assignWorker({ params: { experiment: measured }, body: { reactor_unit } }));
    for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) {
      const accepted = await pass(leader.client.runWorkerJob({ params: { ...params, job }, body: {} }));
      const { status, ...rest } = await pass(leader.finished(accepted));
      if (status !== 'succeeded') throw new Error(`${job} did not start: ${JSON.stringify(rest)}`);
    }
  }
  await leader.client.enrolUnit({ body: enrolment(lostUnit, 'f') });
  await leader.client.registerWorker({ body: { reactor_unit: lostUnit } });
  await clock.advance(measuredMs);
}

/** A leader with real units, others that only answer, and a unit of its own, all on one virtual clock. */
export async function startTestCluster(): Promise<TestCluster> {
  await using cleanUp = new AsyncDisposableStack();
  const clock = new VirtualClock({ stallLimitMs: 60_000, batchesTimers: true });
  const folder = cleanUp.use(await temporaryFolder('generated'));
  const release = await laterRelease(folder.path);
  const leaderWire = advanceableClock();
  const unitWire = advanceableClock();
  const writer = new WriterHost();
  await writer.start();
  cleanUp.defer(() => writer.stop());
  const tool = noRegistry(leaderWire.clock);
  const shared = { releases: release.options, plugins: { tool, limits: { idleMs: 3_600_000 } } };
  const board = { kind: 'here', seed: 1, oversampling: 'closed_form' } as const;
  const ofUnit = () => ({ ...shared, board, machine: harmlessMachine(), camera: testCamera().camera, writer });
  const folderWith = async (name: string): Promise<string> => {
    const path = join(folder.path, name);
    await mkdir(join(path, 'plugins'), { recursive: true });
    await writeFile(join(path, 'plugins', 'echo.js'), echoPlugin);
    return path;
  };
  const leader = cleanUp.use(
    await startLeader({
      clock,
      dataFolder: await folderWith('lead'),
      configure: { ...shared, machine: harmlessMachine(), wire: leaderWire.clock, clock: passingDuringCommands(clock) },
    }),
  );
  const addresses: string[] = [];
  const real: UnitUnderTest[] = [];
  for (const name of realUnits) {
    const one = await startUnit({
      name,
      leaderUrl: leader.url,
      clock,
      dataFolder: join(folder.path, name),
      configure: ofUnit(),
    });
    real.push(cleanUp.use(one));
    addresses.push(`${name}=${new URL(one.url).host}\n`);
  }
  const toy = cleanUp.use(await startToyUnit('toy'));
  const refusing = cleanUp.use(await startToyUnit(refusingUnit, { answer: () => refusal }));
  const late = cleanUp.use(await startAnswering({ status: 404, afterMs: lateMs }));
  const listener = cleanUp.use(await startAnswering({ status: 200, afterMs: 0 }));
  await writeFile(join(leader.dataFolder, 'leader.ini'), `[webhooks]\nallowed_addresses=${listener.address}\n`);
  addresses.push(...toyUnits.map((name) => `${name}=${toy.address}\n`));
  addresses.push(`${refusingUnit}=${refusing.address}\n`, `${lateUnit}=${late.address}\n`);
  const standIn = cleanUp.use(await startStandInLeader());
  const unit = cleanUp.use(
    await startUnit({
      name: 'alone',
      leaderUrl: standIn.url,
      clock,
      dataFolder: await folderWith('alone'),
      configure: { ...ofUnit(), wire: unitWire.clock },
    }),
  );
  await standIn.put(unit.url);
  const document = documentOf(standIn);
  await unit.client.putDesired({ body: document });
  const before = await leader.client.getSharedConfig();
  const config = `${before.replace('[cluster.addresses]\n', `$&${addresses.join('')}`)}\n${allowed}`;
  await leader.client.saveSharedConfig({ body: { code: config } });
  for (const reactor_unit of [...realUnits, refusingUnit, lateUnit])
    await leader.client.registerWorker({ body: { reactor_unit } });
  await measure(leader, clock);

  const placeFiles = async () => {
    for (const place of [leader.dataFolder, unit.dataFolder]) {
      await mkdir(join(place, 'notes'), { recursive: true });
      const present = await readdir(join(place, 'notes'));
      for (const name of noteFiles) if (!present.includes(name)) await writeFile(join(place, 'notes', name), 'x');
    }
  };
  const unitModel = new RealUnitModel();
  await placeFiles();
  const archiveOf = async (url: string) => {
    const answer = await fetch(`${url}/unit_api/zipped_dot_reactor`);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const [first] = real;
  const data = {
    leader: await archiveOf(leader.url),
    unit: await archiveOf(unit.url),
    real1: await archiveOf(first?.url ?? ''),
  };
  unitModel.state = await storedUnitState(unit.dataFolder);
  const store = cleanUp.use(new StoredState(leader.dataFolder));
  const known = new Known({
    model: new PlainModel(await store.read()),
    unit: unitModel,
    config,
    archives: { release: release.archive, data },
    listener: `http://${listener.address}/`,
    leaderIdOfUnit: standIn.id,
    document,
  });
  const held = cleanUp.move();
  return {
    leader,
    unit,
    realUnits: real,
    known,
    store,
    callers: { leader: new Caller(apis.leader, leader.url), unit: new Caller(apis.unit, unit.url) },
    whileTimePasses: passing(clock),
    tidy: async (round) => {
      await placeFiles();
      unitWire.pass(16_000);
      leaderWire.pass(round % 3 === 2 ? 16_000 : 1_100);
      if (round % 20 !== 1) return;
      const body = { model_name: model.model_name, model_version: model.model_version };
      const checked = await first?.client.checkHardware({ body });
      if (checked) known.taskIdsOfWorkers.add({ reactor_unit: 'real1', task_id: checked.task_id });
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, leaderApi } from '@lcs/contract';
import { type Figure, median } from './figures.ts';
import { createMembers, untilMembers } from './members.ts';
import { type NodeWithTurns, startNodeWithTurns } from './node-with-turns.ts';
import { inProcesses, startUnitFarm, type UnitFarm } from './unit-farm.ts';
import {
  calibrationTexts,
  iniTexts,
  jsonBodies,
  profileTexts,
  pumpCalibration,
  reads,
  readsOfAllUnits,
  type WorstInput,
} from './worst-inputs.ts';

const experiment = 'bench';
const unitName = 'u1';
/** What follows an answer: tasks, documents, events. */
const settleMs = 40;
const longSettleMs = 250;
const atMost = 50;

interface Nodes {
  readonly leader: NodeWithTurns;
  /** Undefined where only the leader is watched. */
  readonly unit?: NodeWithTurns;
}

interface Hold {
  readonly input: WorstInput;
  readonly status: number;
  readonly leaderMs: number;
  readonly unitMs: number;
}

const longest = ({ leaderMs, unitMs }: Hold): number => Math.max(leaderMs, unitMs);

async function readThrough(answer: Response): Promise<void> {
  for await (const _ of answer.body ?? []) {
    // Read as it comes.
  }
}

const pollMs = 20;

/** Its result is read as any other answer. */
async function untilTaskEnded({ url }: NodeWithTurns, accepted: string): Promise<void> {
  const { result_url_path }: { readonly result_url_path?: string } = JSON.parse(accepted);
  for (let status = 202; status === 202 && result_url_path !== undefined; await wait(pollMs)) {
    const answer = await fetch(url + result_url_path);
    ({ status } = answer);
    await readThrough(answer);
  }
}

async function holdOf({ leader, unit }: Nodes, input: WorstInput, afterMs: number): Promise<Hold> {
  const { node, method, path } = input;
  const body = input.body?.();
  const target = node === 'unit' && unit !== undefined ? unit : leader;
  let status = 0;
  let unitMs = 0;
  const leaderMs = await leader.longestTurnMs(async () => {
    const send = async () => {
      const url = target.url + path;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method, ...(body !== undefined && { headers, body }) });
      status = answer.status;
      if (status === 202) await untilTaskEnded(target, await answer.text());
      else await readThrough(answer);
      await wait(afterMs);
    };
    if (unit === undefined) await send();
    else unitMs = await unit.longestTurnMs(send);
  });
  return { input, status, leaderMs, unitMs };
}

/** The median of some repetitions, for those that took longest. */
async function repeated(nodes: Nodes, { input, status }: Hold, afterMs: number): Promise<Hold> {
  const again: Hold[] = [];
  for (let run = 0; run < 3; run += 1) again.push(await holdOf(nodes, input, afterMs));
  return {
    input,
    status,
    leaderMs: median(again.map(({ leaderMs }) => leaderMs)),
    unitMs: median(again.map(({ unitMs }) => unitMs)),
  };
}

const sizeText = ({ body, path }: WorstInput): string => `${((body?.() ?? path).length / 1e3).toFixed(0)} kB`;

const repeatedOfEachKind = 2;

async function figuresOf(nodes: Nodes, inputs: readonly WorstInput[], afterMs: number): Promise<Figure[]> {
  const once: Hold[] = [];
  for (const input of inputs) once.push(await holdOf(nodes, input, afterMs));
  const figures: Figure[] = [];
  for (const [kind, holds] of Map.groupBy(once, ({ input }) => input.kind)) {
    const worst = holds.sort((a, b) => longest(b) - longest(a)).slice(0, repeatedOfEachKind);
    const checked: Hold[] = [];
    for (const hold of worst) checked.push(await repeated(nodes, hold, afterMs));
    const [found] = checked.sort((a, b) => longest(b) - longest(a));
    if (found === undefined) continue;
    const { input, status, leaderMs, unitMs } = found;
    figures.push({
      name: `${kind} (${holds.length})`,
      value: longest(found),
      unit: 'ms',
      aim: { atMost },
      limit: `${input.node}, ${input.name}, ${sizeText(input)}, ${status}; leader ${leaderMs.toFixed(0)} ms, unit ${unitMs.toFixed(0)} ms`,
    });
  }
  return figures;
}

type Texts = Readonly<Record<string, string>>;

/** The same request with each of these texts as one field of its body. */
const withTexts = (
  request: Pick<WorstInput, 'kind' | 'node' | 'method' | 'path'>,
  texts: Texts,
  bodyOf: (text: string) => object,
): WorstInput[] =>
  Object.entries(texts).map(([name, text]) => ({ ...request, name, body: () => JSON.stringify(bodyOf(text)) }));

const read = (kind: string, node: WorstInput['node'], path: string): WorstInput => ({
  kind,
  node,
  path,
  name: path,
  method: 'GET',
});

const shared = '/api/config/shared';
const unitCalibrations = '/unit_api/calibrations/media_pump';
const calibrationBody = (calibration_data: string) => ({ calibration_data, set_as_active: true });

function textInputs(sharedText: string): readonly WorstInput[] {
  const profiles = '/api/experiment_profiles';
  const own = iniTexts('');
  const ownPath = `/api/config/units/${unitName}/specific`;
  const leader = { node: 'leader', method: 'PATCH' } as const;
  return [
    ...withTexts(
      { kind: 'profile, checked', node: 'leader', method: 'POST', path: `${profiles}/validate` },
      profileTexts,
      (body) => ({ body }),
    ),
    ...Object.entries(profileTexts).flatMap(([name, text]) =>
      withTexts(
        { kind: 'profile, saved', ...leader, path: `${profiles}/${name.replaceAll(/\W/g, '-')}.yaml?create=true` },
        { [name]: text },
        (body) => ({ body }),
      ),
    ),
    read('profiles, listed', 'leader', profiles),
    ...withTexts(
      { kind: 'calibration of a unit', node: 'unit', method: 'POST', path: unitCalibrations },
      calibrationTexts,
      calibrationBody,
    ),
    ...withTexts(
      {
        kind: 'calibration by the leader',
        node: 'leader',
        method: 'POST',
        path: `/api/workers/${unitName}/calibrations/media_pump`,
      },
      calibrationTexts,
      calibrationBody,
    ),
    read('calibrations of a unit, listed', 'unit', '/unit_api/calibrations'),
    read('active calibrations', 'unit', '/unit_api/active_calibrations'),
    read('calibrations by the leader', 'leader', `/api/workers/${unitName}/calibrations`),
    read('calibrations, zipped', 'leader', `/api/workers/${unitName}/zipped_calibrations`),
    ...withTexts({ kind: "configuration, a unit's own", ...leader, path: ownPath }, own, (code) => ({ code })),
    ...withTexts({ kind: 'configuration, shared', ...leader, path: shared }, iniTexts(sharedText), (code) => ({
      code,
    })),
    read('configuration in force', 'leader', '/api/config/units/$broadcast'),
    read('configuration, versions', 'leader', `${shared}/history`),
    read('configuration, zipped', 'leader', '/api/config/zipped'),
  ];
}

const storedVersions = 60;
const storedCalibrations = 40;

async function send(method: string, url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Versions of the shared configuration of some 100 kB each; the last one is as it was before. */
async function storeVersions({ url }: NodeWithTurns, sharedText: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await send('PATCH', url + shared, { code: `${sharedText}\n# ${index}\n# ${'x'.repeat(100_000)}` });
  await send('PATCH', url + shared, { code: sharedText });
}

async function storeCalibrations({ url }: NodeWithTurns): Promise<void> {
  for (let index = 0; index < storedCalibrations; index += 1)
    await send('POST', url + unitCalibrations, { calibration_data: pumpCalibration(`stored ${index}`) });
}

/**
 * How long the worst inputs of each kind hold the event loop of leader and unit.
 * @param part only kinds with this in their name
 */
export async function holdsBench(part: string): Promise<Figure[]> {
  const chosen = (inputs: readonly WorstInput[]) => inputs.filter(({ kind }) => kind.includes(part));
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  try {
    await using leader = await startNodeWithTurns('leader', [
      ...['--port', '0', '--mqtt-port', '0', '--data-dir', join(root, 'leader')],
    ]);
    await createMembers(leader.url, experiment, [unitName]);
    await using unit = await startNodeWithTurns('unit', [
      ...['--name', unitName, '--leader', leader.url, '--port', '0', '--seed', '1', '--witness', '/dev/null'],
      ...['--data-dir', join(root, unitName)],
    ]);
    await untilMembers(leader.url, [unitName]);
    const nodes: Nodes = { leader, unit };
    const sharedText = await createClient(leaderApi, { baseUrl: leader.url }).getSharedConfig();
    await storeVersions(leader, sharedText, storedVersions);
    await storeCalibrations(unit);
    return [
      ...(await figuresOf(nodes, chosen(textInputs(sharedText)), longSettleMs)),
      ...(await figuresOf(nodes, chosen(jsonBodies()), settleMs)),
      ...(await figuresOf(nodes, chosen(reads()), settleMs)),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const processes = 4;

/** What a person does to all units at once, and the largest configuration that goes to each of them. */
function allUnitsInputs(sharedText: string): readonly WorstInput[] {
  const jobs = `/api/workers/$broadcast/jobs`;
  const to = { kind: 'action on all units', node: 'leader' } as const;
  const options = (text: string) => () => JSON.stringify({ options: text === '' ? {} : { target_rpm: text } });
  const ofExperiment = `experiments/${experiment}`;
  const largest = iniTexts(sharedText)['keys of sections, all that fit'] ?? '';
  return [
    { ...to, name: 'start', method: 'POST', path: `${jobs}/run/job_name/stirring/${ofExperiment}`, body: options('') },
    {
      ...to,
      name: 'update',
      method: 'PATCH',
      path: `${jobs}/update/job_name/stirring/${ofExperiment}`,
      body: () => JSON.stringify({ settings: { target_rpm: 400 } }),
    },
    { ...to, name: 'stop', method: 'POST', path: `/api/workers/jobs/stop/${ofExperiment}` },
    ...withTexts(
      { kind: 'configuration for all units', node: 'leader', method: 'PATCH', path: shared },
      { largest, 'as before': sharedText },
      (code) => ({ code }),
    ),
    read('read of all units', 'leader', '/api/units'),
    ...readsOfAllUnits(),
    read('1,000 versions', 'leader', `${shared}/history`),
    read('1,000 versions', 'leader', '/api/config/zipped'),
  ];
}

/**
 * How long requests that concern all units hold the event loop of a leader with many units and 1,000 versions of its
 * configuration.
 */
export async function holdsOfManyUnitsBench(part: string, count = 200, versions = 1_000): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const folder = join(root, 'units');
  const names = Array.from({ length: count }, (_, index) => `u${index + 1}`);
  const farms: UnitFarm[] = [];
  try {
    await using leader = await startNodeWithTurns('leader', [
      ...['--port', '0', '--mqtt-port', '0', '--data-dir', join(root, 'leader')],
    ]);
    const leaderUrl = leader.url;
    const sharedText = await createClient(leaderApi, { baseUrl: leaderUrl }).getSharedConfig();
    await storeVersions(leader, sharedText, versions);
    await createMembers(leaderUrl, experiment, names);
    for (const group of inProcesses(names, processes))
      farms.push(await startUnitFarm({ leaderUrl, folder, units: group.map((name) => ({ name, port: 0 })) }));
    await untilMembers(leaderUrl, names);
    const inputs = allUnitsInputs(sharedText).filter(({ kind }) => kind.includes(part));
    return (await figuresOf({ leader }, inputs, longSettleMs)).map((figure) => ({
      ...figure,
      name: `${figure.name}, ${count} units`,
    }));
  } finally {
    await Promise.all(farms.map((farm) => farm[Symbol.asyncDispose]()));
    await rm(root, { recursive: true, force: true });
  }
}

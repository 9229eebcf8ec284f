import fc from 'fast-check';
import type { Known } from '../known.ts';
import { realUnits, refusingUnit } from '../known.ts';
import { membersOf } from './cluster.ts';
import { type Feature, forAll, type Given, usually } from './given.ts';

const types = usually(['dosing', 'led', 'temperature'], ['moon']);
const worker = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom(...realUnits) },
    { weight: 1, arbitrary: fc.constantFrom('$broadcast', refusingUnit) },
  )
  .map((reactor_unit) => ({ reactor_unit }));

const values = usually<object>(
  [
    { current_volume_ml: '15.5' },
    { alt_media_fraction: 0.25, cumulative_waste_removed_ml: 3 },
    { current_volume_ml: 14 },
  ],
  [{ volume: 1 }],
);

const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'generated', version: '1' } },
};
const call = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: given },
});

const messages = (): fc.Arbitrary<Given> =>
  usually<Given>(
    [
      { headers: accept, body: initialize },
      { headers: accept, body: { jsonrpc: '2.0', id: 3, method: 'tools/list' } },
      { headers: accept, body: { jsonrpc: '2.0', method: 'notifications/initialized' } },
      { headers: accept, body: call('get_experiments', {}) },
      { headers: accept, body: call('get_experiment', { experiment: 'experiment 1' }) },
      { headers: accept, body: call('nothing', {}) },
    ],
    [
      { headers: { ...accept, accept: 'application/json' }, body: initialize },
      { headers: accept, body: { id: 1 } },
    ],
  );

function acknowledgement({ feed, leaderIdOfUnit }: Known): fc.Arbitrary<Given> {
  const body = { leader_id: leaderIdOfUnit, epoch: feed?.epoch ?? '', seq: feed?.seq ?? 0 };
  return usually<Given>([{ body }], [{ body: { ...body, leader_id: 'foreign' } }]);
}

function feedQuery({ feed, leaderIdOfUnit }: Known): fc.Arbitrary<Given> {
  const query = { leader_id: leaderIdOfUnit, wait: '0', limit: '500' };
  const place = feed && { epoch: feed.epoch, after: String(feed.seq) };
  return usually<Given>(
    [{ query: { ...query, after: '0' } }, { query: { ...query, ...place } }],
    [{ query: { ...query, leader_id: '00000000-0000-4000-8000-00000000ffff' } }, { query: { ...query, after: '7' } }],
  );
}

/** The same document again, or one of another leader. */
const documents = ({ document }: Known): fc.Arbitrary<Given> =>
  usually<Given>([{ body: document }], [{ body: { ...Object(document), leader_id: 'foreign' } }]);

export const others: Feature = {
  requests: {
    ...forAll(['listAutomationDescriptors', 'listContributedAutomations', 'listNodeAutomationDescriptors'], () =>
      types.map((automation_type) => ({ params: { automation_type } })),
    ),
    ...forAll(
      ['listAutomationDescriptorsOfWorker', 'listJobDescriptorsOfWorker', 'listSettingsDescriptorsOfWorker'],
      () => fc.tuple(worker, types).map(([unit, automation_type]) => ({ params: { ...unit, automation_type } })),
    ),
    updateBioreactor: (known) =>
      fc.tuple(membersOf(known), values).map(([given, some]) => ({ ...given, body: { values: some } })),
    setBioreactor: () =>
      fc
        .tuple(fc.constantFrom('yeast-ramp-07', 'another'), values)
        .map(([experiment, some]) => ({ params: { experiment }, body: { values: some } })),
    ...forAll(['callMcp', 'callMcpWithoutSlash'], messages),
    acknowledgeFeed: acknowledgement,
    readFeed: feedQuery,
    putDesired: documents,
    ...forAll(['checkHardware', 'checkHardwareByPatch'], () =>
      fc.constant({ body: { model_name: 'reactor_40ml', model_version: '1.5' } }),
    ),
  },
};

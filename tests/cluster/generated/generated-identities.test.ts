import { hasShape, isErrorBody, Token } from '@lcs/contract';
import { signIn } from '@lcs/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seedFrom } from '../seed.ts';
import { type AnsweredCall, checkedContent, textOf } from './checked-answer.ts';
import { measured } from './known.ts';
import { PlainModel } from './plain-model.ts';
import { expectedAnswer, type PlainCaller, StoredPlaces } from './plain-permissions.ts';
import { apis, isStream, numbersFrom, ordinaryTo, type Target } from './requests.ts';
import { startTestCluster, type TestCluster } from './test-cluster.ts';

const password = 'three brown horses';
const requests = Number(process.env.LCS_REQUESTS ?? 300);
const firstSeed = seedFrom('LCS_SEED', process.env.LCS_REQUESTS !== undefined);
/** So many requests go to one cluster; then a new one begins, with the next seed. */
const requestsPerCluster = Number(process.env.LCS_PER_WORLD ?? 20_000);
/** From so many requests on, every kind of refusal must have occurred. */
const enoughRequests = 4_000;
/** What is known of experiments is read again after so many requests. */
const readEvery = 100;
type Headers = Readonly<Record<string, string>>;

function atLeastOne<One>([first, ...others]: readonly One[]): readonly [One, ...One[]] {
  if (first === undefined) throw new Error('There is none.');
  return [first, ...others];
}

interface Identity extends PlainCaller {
  readonly name: string;
  readonly headers: Headers;
}

const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` });

/** Not called: further requests need the session, and units that the leader may call. */
const notCalled = ['signOut', 'startTablet', 'changeOwnPassword', 'revokeCredentials'];
const targets = atLeastOne(
  Object.entries(apis.leader)
    .filter(([operation, route]) => !isStream(route) && !notCalled.includes(operation))
    .map(([operation, route]): Target => ({ node: 'leader', operation, route })),
);

/** Everybody of the laboratory. `otto` owns protected experiments, `mia` is a member of them, `olga` is not. */
async function peopleOf({ leader, callers }: TestCluster): Promise<readonly [Identity, ...Identity[]]> {
  const call = async (operation: string, headers: Headers, options: object) => {
    const answer = await callers.leader.call(operation, { ...options, headers });
    return answer.expect(answer.status < 300 ? answer.status : 200);
  };
  const roles = { ada: 'administrator', otto: 'operator', mia: 'operator', olga: 'operator', vera: 'viewer' } as const;
  const people: Record<string, Identity> = {};
  let admin: Headers = {};
  for (const [name, role] of Object.entries(roles)) {
    const made = await call('createPerson', admin, { body: { name, role, password } });
    const headers = await signIn(leader.url, name, password);
    if (name === 'ada') admin = headers;
    people[name] = { name, role, headers, personId: String(Object(made).person_id) };
  }
  const tokenOf = async (maker: string, name: string, limits: Partial<PlainCaller> = {}): Promise<Identity> => {
    const { headers, role, personId } = people[maker] ?? {};
    if (headers === undefined || role === undefined || personId === undefined) throw new Error(`Who is ${maker}?`);
    const { permissions } = Object(await call('getSession', headers, {}));
    const { only = permissions, ...places } = limits;
    const body = { name, permissions: only, days: 366, ...places };
    const made = await call('createToken', headers, { body });
    if (!hasShape(Token, made)) throw new Error(`No token: ${JSON.stringify(made)}`);
    return { name, role, personId, ...limits, headers: bearer(String(Object(made).secret)) };
  };
  const owner = people.otto?.headers ?? {};
  for (const experiment of ['experiment 0', 'experiment 1', 'experiment 2', 'experiment 3'])
    await callers.leader.call('createExperiment', { headers: owner, body: { experiment } });
  for (const experiment of ['experiment 0', 'experiment 2'])
    await callers.leader.call('updateExperimentAccess', {
      headers: owner,
      params: { experiment },
      body: { is_protected: true, members: ['mia'] },
    });
  await callers.leader.call('updateExperimentAccess', {
    headers: admin,
    params: { experiment: measured },
    body: { is_protected: true, owner: 'otto', members: ['mia'] },
  });
  return [
    { name: 'anonymous', role: 'nobody', personId: '', headers: {} },
    { name: 'wrong token', role: 'nobody', personId: '', headers: bearer('x'.repeat(43)) },
    ...Object.values(people),
    await tokenOf('otto', 'token'),
    await tokenOf('ada', 'token of an administrator without management', { only: ['experiments.write', 'jobs.run'] }),
    await tokenOf('otto', 'token for experiments', { experiments: [measured, 'experiment 1'] }),
    await tokenOf('ada', 'token for units', { units: ['real1', 'rx0'] }),
    await tokenOf('olga', 'token for both', { experiments: [measured, 'experiment 3'], units: ['real2', 'rx1'] }),
  ];
}

const refusals = ['not_signed_in', 'not_allowed', 'not_a_member', 'outside_token_limits'];
const allRefusals = ['401 not_signed_in', '403 not_allowed', '403 not_a_member', '403 outside_token_limits'];

/** How the answer refused the caller, in the words of the model. */
function seenIn({ answer }: AnsweredCall): string {
  if (answer.status !== 401 && answer.status !== 403) return 'allowed';
  const body: unknown = answer.json;
  return isErrorBody(body) && refusals.includes(body.code) ? `${answer.status} ${body.code}` : 'allowed';
}

const errorFields = ['error', 'cause', 'remediation', 'status', 'code', 'field', 'task_id', 'request_id'];

/** Sends the requests of one cluster; `counts` has the number of each answer. */
async function runCluster(seed: number, sent: number, counts: Map<string, number>): Promise<void> {
  await using cluster = await startTestCluster();
  const { known, store, callers, leader } = cluster;
  const identities = await cluster.whileTimePasses(peopleOf(cluster));
  using places = new StoredPlaces(leader.dataFolder);
  const random = numbersFrom(seed);
  const pick = <One>(all: readonly [One, ...One[]]): One => all[Math.floor(random() * all.length)] ?? all[0];
  for (let index = 0; index < sent; index += 1) {
    if (index % readEvery === 0) known.model = new PlainModel(await store.read());
    const [target, identity] = [pick(targets), pick(identities)];
    const drawn = { seed: Math.floor(random() * 2 ** 31), numRuns: 1 };
    const [given = {}] = fc.sample(ordinaryTo(target, known, { mustFit: random() < 0.7 }), drawn);
    const { params: all = {}, query = {}, body, file } = given;
    // Suggestions contain names that this path has no place for.
    const params = Object.fromEntries(Object.entries(all).filter(([name]) => target.route.path.includes(`{${name}}`)));
    // An empty name is the path of another route, or of none.
    const isThisRoute = !Object.values(params).includes('');
    const expected = isThisRoute ? expectedAnswer(target, params, identity, places.read()) : 'open';
    const headers = { ...given.headers, ...identity.headers, 'x-reason': 'a test' };
    const options = { params, query, headers, ...(body !== undefined && { body }), ...(file && { file }) };
    const answer = await cluster.whileTimePasses(callers.leader.call(target.operation, options));
    const answered: AnsweredCall = { index, target, given, answer };
    const seen = seenIn(answered);
    const what = () => `seed ${seed}, ${identity.name}: ${textOf(answered)}`;
    if (expected !== 'open') expect(seen, what()).toBe(expected);
    if (seen === 'allowed') checkedContent(answered, cluster);
    else
      expect(
        Object.keys(Object(answer.json)).filter((field) => !errorFields.includes(field)),
        what(),
      ).toEqual([]);
    counts.set(seen, (counts.get(seen) ?? 0) + 1);
  }
}

it(`${requests} generated requests of random identities are admitted as a plain model of permissions says (seed ${firstSeed})`, async () => {
  const counts = new Map<string, number>();
  for (let sent = 0, index = 0; sent < requests; sent += requestsPerCluster, index += 1)
    await runCluster(firstSeed + index, Math.min(requestsPerCluster, requests - sent), counts);
  const found = [...counts].map(([answer, count]) => `${count} ${answer}`).sort();
  console.log(`${requests} requests to ${targets.length} routes: ${found.join(', ')}`);
  if (requests >= enoughRequests) expect(new Set(counts.keys())).toEqual(new Set(['allowed', ...allRefusals]));
}, 7_200_000);

import { expect, it } from 'vitest';
import { withActions } from '../testing/example-profiles.ts';
import { lateDecision } from './late-steps.ts';
import { parseProfile } from './parse-profile.ts';
import { type LateActionPolicy, lateActionPolicies } from './profile.ts';
import { isBasicItem, profileItems } from './timeline.ts';

/** What becomes of each action at the second hour. */
function decisions(policy: LateActionPolicy | null, ...actions: readonly string[]): readonly string[] {
  const parsed = parseProfile(withActions(...actions));
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  const items = profileItems(parsed.profile, { common: ['rx01'], own: [] }).get('rx01') ?? [];
  return items.filter(isBasicItem).map((item) => lateDecision(item, items, 7_200_000, policy));
}

it.each([
  ['start', 'miss execute miss ask'],
  ['update', 'miss execute miss ask'],
  ['resume', 'miss execute miss ask'],
  ['pause', 'execute execute execute execute'],
  ['stop', 'execute execute execute execute'],
])('a missed %s follows the policy', (type, expected) => {
  const policies = [null, ...lateActionPolicies];
  expect(policies.flatMap((policy) => decisions(policy, `{type: ${type}, t: 1h}`)).join(' ')).toBe(expected);
});

it('a missed message is left out with skip only', () => {
  const policies = [null, ...lateActionPolicies];
  const message = '{type: log, t: 1h, options: {message: m}}';
  expect(policies.flatMap((policy) => decisions(policy, message))).toEqual(['execute', 'execute', 'miss', 'execute']);
});

it('an action that is at most a minute late was not missed', () => {
  for (const policy of [null, ...lateActionPolicies])
    expect(decisions(policy, '{type: start, t: 119m}', '{type: start, t: 2h}')).toEqual(['execute', 'execute']);
});

it('nobody is asked about a start whose stop was missed, or a pause that is over', () => {
  expect(decisions('ask', '{type: start, t: 10m}', '{type: stop, t: 20m}', '{type: start, t: 30m}')).toEqual([
    ...['miss', 'execute', 'ask'],
  ]);
  expect(decisions('ask', '{type: pause, t: 10m}', '{type: resume, t: 20m}')).toEqual(['miss', 'ask']);
  expect(decisions('run', '{type: pause, t: 10m}', '{type: resume, t: 20m}')).toEqual(['execute', 'execute']);
});

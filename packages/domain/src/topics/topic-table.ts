import { type Permission, rolePermissions } from '@lcs/contract';
import type { AccountRights, TopicLimits } from './topic-rules.ts';

/** Somebody with an account at the broker, for the table of topics and identities that tests compare with brokers. */
export interface TableIdentity {
  readonly name: string;
  readonly rights: AccountRights;
}

const token = (permissions: readonly Permission[], limits?: Partial<TopicLimits>): AccountRights => ({
  is: 'client',
  permissions: new Set(permissions),
  ...(limits && { limits: { units: undefined, experiments: undefined, ...limits } }),
});

/** The columns of the table. */
export const tableIdentities: readonly TableIdentity[] = [
  { name: 'leader', rights: { is: 'unlimited' } },
  { name: 'unit rx01', rights: { is: 'unit', unit: 'rx01' } },
  { name: 'unit rx02', rights: { is: 'unit', unit: 'rx02' } },
  { name: 'administrator', rights: token([...rolePermissions.administrator]) },
  { name: 'operator', rights: token([...rolePermissions.operator]) },
  { name: 'viewer', rights: token([...rolePermissions.viewer]) },
  { name: 'token: jobs.stop', rights: token(['jobs.stop']) },
  { name: 'token: logs.read', rights: token(['logs.read', 'experiments.read']) },
  {
    name: 'token: operator, limited to rx01 and E',
    rights: token([...rolePermissions.operator], { units: new Set(['rx01']), experiments: new Set(['E']) }),
  },
  { name: 'token without permissions', rights: token([]) },
];

export interface TableTopic {
  readonly topic: string;
  readonly payload: string;
}

/** The rows of the table: each kind of topic of `docs/reference/mqtt-topics.md`, and some that nobody uses. */
export const tableTopics: readonly TableTopic[] = [
  { topic: 'reactor/rx01/E/stirring/target_rpm/set', payload: '500' },
  { topic: 'reactor/$broadcast/E/stirring/target_rpm/set', payload: '500' },
  { topic: 'reactor/rx01/E/stirring/$state/set', payload: 'sleeping' },
  { topic: 'reactor/rx01/E/stirring/$state/set', payload: 'disconnected' },
  { topic: 'reactor/rx01/F/stirring/$state/set', payload: 'disconnected' },
  { topic: 'reactor/rx02/E/stirring/$state/set', payload: 'disconnected' },
  { topic: 'reactor/$broadcast/$experiment/stirring/$state/set', payload: 'disconnected' },
  { topic: 'reactor/lead/E/experiment_profile/7/$state/set', payload: 'disconnected' },
  { topic: 'reactor/rx01/E/monitor/flicker_led_response_okay', payload: '1' },
  { topic: 'reactor/rx01/E/monitor/flicker_led_with_error_code', payload: '3' },
  { topic: 'reactor/rx01/$experiment/monitor/$state', payload: 'lost' },
  { topic: 'reactor/rx01/E/stirring/$state', payload: 'ready' },
  { topic: 'reactor/rx01/E/stirring/target_rpm', payload: '500' },
  { topic: 'reactor/rx01/E/od_reading/od1', payload: '{}' },
  { topic: 'reactor/rx02/E/od_reading/od1', payload: '{}' },
  { topic: 'reactor/rx01/F/od_reading/od1', payload: '{}' },
  { topic: 'reactor/rx01/E/logs/app/info', payload: '{}' },
  { topic: 'reactor/rx01/E/camera/latest_still', payload: '{}' },
  { topic: 'reactor/rx01/E/calibration_changes', payload: '{}' },
  { topic: 'reactor/lead/E/experiment_profile/$state', payload: 'ready' },
  { topic: 'reactor/rx01/$experiment/assignment', payload: '{}' },
  { topic: 'reactor/rx010/E/od_reading/od1', payload: '{}' },
  { topic: 'reactor/rx01', payload: 'x' },
  { topic: 'other/rx01/E/x', payload: 'x' },
];

/** Filters with wildcards: whether the broker grants them. */
export const tableFilters: readonly string[] = [
  '#',
  '+/#',
  '$SYS/#',
  'reactor/#',
  'reactor/rx01/#',
  'reactor/$broadcast/#',
  'reactor/+/+/logs/#',
  'reactor/+/E/od_reading/#',
  'reactor/+/+/+/+/set',
  'reactor/rx01/+/+/+/set',
];

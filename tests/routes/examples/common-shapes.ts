import { changes, follows, type Level, reads, type UiRequest } from '../ui-contract/page.ts';
import type { Shape } from '../ui-contract/shape.ts';
import type { Example } from './example.ts';

const level: Level = 'feature';
type More = Partial<UiRequest>;
export type Sources = string | readonly string[];

const example = (of: Example['of'], sources: Sources, request: UiRequest): Example => ({
  of,
  sources: [sources].flat(),
  request,
});

/** Shorthands: JSON, the result of a task, a text, a file; of the leader unless the name says otherwise. */
export const shown = (sources: Sources, path: string, shape: Shape, more: More = {}): Example =>
  example('leader', sources, reads(level, path, shape, more));
export const followed = (sources: Sources, path: string, shape: Shape, more: More = {}): Example =>
  example('leader', sources, follows(level, path, shape, more));
export const done = (sources: Sources, method: UiRequest['method'], path: string, status: number, more: More = {}) =>
  example('leader', sources, changes(method, path, status, more));
export const ofUnit = (sources: Sources, path: string, shape: Shape, more: More = {}): Example =>
  example('unit', sources, reads(level, path, shape, more));
export const followedOfUnit = (sources: Sources, path: string, shape: Shape, more: More = {}): Example =>
  example('unit', sources, follows(level, path, shape, more));

export const errorBody = (status: number): Shape => ({
  error: 'text',
  cause: 'text',
  remediation: 'text',
  status: String(status),
  code: 'text',
  'field?': 'text',
  'diagnostics?': 'list',
});

export const success: Shape = { status: '"success"' };
export const accepted: Shape = {
  unit: 'text',
  task_id: 'uuid',
  result_url_path: 'text',
  status: '"accepted"',
};
export const acceptance = { answer: 'json', status: 202 } as const;
export const text = { answer: 'text' } as const;
export const file = { answer: 'file' } as const;

export const ok = (value: Shape): Shape => ({ ok: 'true', unit: 'text', value });
export const failure: Shape = {
  ok: 'false',
  unit: 'text',
  error: { kind: 'text', message: 'text', 'cause?': 'text', 'remediation?': 'text', 'code?': 'text' },
  status_code: 'integer | null',
  retryable: 'boolean',
};

export const experiment: Shape = {
  experiment: 'text',
  created_at: 'time',
  description: 'text | null',
  delta_hours: 'number',
  worker_count: 'integer',
  tags: 'list',
};

export const logRow: Shape = {
  timestamp: 'time',
  level: 'text',
  message: 'text',
  task: 'text',
  source: 'text',
  reactor_unit: 'text',
  experiment: 'text',
};

export const series: Shape = { series: ['text'], data: [[{ x: 'time', y: 'number' }]] };

const setting: Shape = {
  key: 'text',
  type: 'text',
  display: 'boolean',
  description: 'text | null',
  default: 'text | number | boolean | null',
  unit: 'text | null',
  label: 'text | null',
  editable: 'boolean',
  min: 'number | null',
  max: 'number | null',
};

export const settingsDescriptor: Shape = {
  key: 'text',
  display_name: 'text',
  display: 'boolean',
  published_settings: [setting],
  source: 'text',
  description: 'text | null',
  subtext: 'text | null',
};

export const jobDescriptor: Shape = {
  display_name: 'text',
  job_name: 'text',
  display: 'boolean',
  published_settings: 'list',
  source: 'text',
  description: 'text | null',
  subtext: 'text | null',
  is_testing: 'boolean',
};

export const automationDescriptor: Shape = {
  display_name: 'text',
  automation_name: 'text',
  description: 'text',
  source: 'text | null',
  fields: 'list',
};

export const jobRow: Shape = {
  job_id: 'integer',
  unit: 'text',
  experiment: 'text',
  job_name: 'text',
  job_source: 'text',
  started_at: 'time',
  is_running: '1',
  leader: 'text',
  pid: 'integer',
  is_long_running_job: '0 | 1',
  ended_at: 'null',
  // Ours.
  reactor_unit: 'text',
  state: 'text',
  since: 'time',
  reason: 'text | null',
};

export const capability: Shape = {
  job_name: 'text',
  'automation_name?': 'text',
  help: 'text',
  arguments: 'list',
  options: 'list',
  published_settings: 'object',
  cli_example: 'text',
  // Ours: on units, whether the hardware is there.
  'available?': 'boolean',
  'reason?': 'text',
  // Ours: the jobs that it needs, and the values of its last run.
  'uses_jobs?': 'list',
  'last_used?': 'object',
};

const curve: Shape = { type: 'text', coefficients: 'list', 'knots?': 'list' };
export const calibration: Shape = {
  calibration_type: 'text',
  calibration_name: 'text',
  calibrated_on_reactor_unit: 'text',
  created_at: 'text',
  curve_data_: curve,
  x: 'text',
  y: 'text',
  recorded_data: { x: ['number'], y: ['number'] },
  'hz?': 'number',
  'dc?': 'number',
  'voltage?': 'number',
  'angle?': 'text',
  'pd_channel?': 'text',
  'ir_led_intensity?': 'number',
  is_active: 'boolean',
  reactor_unit: 'text',
};

export const estimator: Shape = {
  estimator_type: '"od_fused_estimator"',
  estimator_name: 'text',
  calibrated_on_reactor_unit: 'text',
  created_at: 'text',
  ir_led_intensity: 'number',
  angles: ['text'],
  mu_splines: { '*': curve },
  sigma_splines_log: { '*': curve },
  min_logc: 'number',
  max_logc: 'number',
  sigma_floor: 'number',
  recorded_data: 'object',
  low_conc_scales: 'object',
  y: 'text',
  is_active: 'boolean',
  reactor_unit: 'text',
  device: 'text',
};

export const protocol: Shape = {
  id: 'text',
  target_device: 'text',
  protocol_name: 'text',
  priority: 'integer',
  title: 'text',
  description: 'text',
  requirements: 'list',
};

export const session: Shape = {
  session_id: 'uuid',
  protocol_name: 'text',
  target_device: 'text',
  status: 'text',
  step_id: 'text',
  data: 'object',
  created_at: 'time',
  updated_at: 'time',
  result: 'object | null',
  error: 'text | null',
};

export const step: Shape = {
  step_id: 'text',
  step_type: 'text',
  title: 'text',
  body: 'text',
  fields: 'list',
  metadata: 'object',
};

export const usbMounted: Shape = {
  status: '"mounted"',
  partitions: [
    {
      device: 'text',
      parent_device: 'text | null',
      label: 'text | null',
      uuid: 'text | null',
      fstype: 'text | null',
      size_bytes: 'integer',
      mountpoints: ['text'],
      removable: 'boolean',
      mounted: 'true',
      display_name: 'text',
      reactor_mountpoint: 'text',
      mountpoint: 'text',
      writable: 'boolean',
      free_bytes: 'integer',
      unsupported_reason: 'text | null',
    },
  ],
  active_mount: {
    device: 'text',
    parent_device: 'text | null',
    label: 'text | null',
    uuid: 'text | null',
    fstype: 'text | null',
    size_bytes: 'integer',
    mountpoints: ['text'],
    removable: 'boolean',
    mounted: 'true',
    display_name: 'text',
    reactor_mountpoint: 'text',
    mountpoint: 'text',
    writable: 'boolean',
    free_bytes: 'integer',
  },
};

export const repaired: Shape = {
  success: 'boolean',
  repair: { returncode: 'integer', stdout: 'text', stderr: 'text' },
  status: {
    returncode: 'integer',
    stdout: 'text',
    stderr: 'text',
    payload: { status: 'text', checks: [{ name: 'text', status: 'text', details: 'text' }] },
  },
};

export const plugin: Shape = {
  name: 'text',
  version: 'text',
  description: 'text | null',
  homepage: 'text | null',
  source: 'text',
  author: 'text',
};

export const runningProfile: Shape = {
  job_name: '"experiment_profile"',
  experiment: 'text',
  job_id: 'integer',
  dry_run: 'boolean',
  // Ours.
  run_id: 'text | null',
  asks_about: 'object | null',
  failed_actions: 'integer',
  settings: {
    $state: 'text',
    experiment_profile_name: 'text',
    start_time_utc: 'time',
    profile_filename: 'text',
    action_count: 'integer',
    '...': 'object',
  },
};

export const recentProfile: Shape = {
  started_at: 'time',
  experiment_profile_name: 'text',
  experiment: 'text',
  // Ours.
  run_id: 'text',
  profile_filename: 'text',
  dry_run: 'boolean',
  ended_at: 'time | null',
  outcome: 'text | null',
  started_by: 'text | null',
  failed_actions: 'number',
};

export const camera: Shape = {
  unit: 'text',
  detection_status: 'text',
  runtime_available: 'boolean',
  capture_command: 'text | null',
  mock: 'boolean',
  latest_still: 'object | null',
  auto_capture_enabled: 'boolean',
  snapshot_interval_minutes: 'number',
};

import {
  calibration,
  camera,
  capability,
  estimator,
  failure,
  followed,
  jobRow,
  ok,
  plugin,
  protocol,
  repaired,
  session,
  shown,
  step,
  usbMounted,
} from './common-shapes.ts';
import type { Example } from './example.ts';

const W = '/api/workers/{U}';
const of = (value: Parameters<typeof ok>[0]) => ({ '{U}': ok(value) });
const settings = `${W}/jobs/settings/job_name/stirring`;
const exported = {
  result: 'true',
  filename: 'text',
  msg: '"Finished"',
  // Ours.
  bytes: 'integer',
  sha256: 'text',
  row_count: 'integer',
  '...': 'object',
};
const exporting = { datasets: ['logs'], experiment: '{E}', partition_by_unit: false, partition_by_experiment: true };
const session_ = `${W}/calibrations/sessions`;

/** What tasks of the leader bring together from units. */
export const taskExamples: readonly Example[] = [
  followed(['L1 1.4', 'L2 3.2'], '/api/units/$broadcast/versions/app', { '*': ok({ version: 'text' }) }),
  followed('SP 4.3', '/api/units/{U}/versions/ui', of({ version: 'text' })),
  followed(['L1 1.4', 'L2 3.2'], `${W}/calibrations/media_pump/absent`, { '{U}': failure }, { note: 'what failed' }),
  followed(['L2 4.5', 'J 1.17'], `${W}/jobs/running`, of([jobRow])),
  followed(
    'L2 4.6',
    `${settings}/experiments/{E}`,
    of({ settings: { $state: '"ready"', target_rpm: 'number', '...': 'text' }, job_id: 'integer' }),
  ),
  followed('L2 4.7', `${settings}/setting/target_rpm/experiments/{E}`, of({ target_rpm: 'number' })),
  followed('L2 6.2', '/api/units/{U}/system/repair', of(repaired), { method: 'POST' }),
  followed('L2 6.3', '/api/units/{U}/system/utc_clock', of({ clock_time: 'time' })),
  followed('L2 7.1', '/api/units/{U}/capabilities', of([capability])),
  followed('L2 7.1', `${W}/capabilities`, of([capability])),
  followed('L2 8.2', '/api/units/{leader}/plugins/installed', { '{leader}': ok([plugin]) }),
  followed('L2 9', '/api/units/{leader}/usb', { '{leader}': ok(usbMounted) }),
  followed('L2 10.1', `${W}/calibrations`, of({ '*': [calibration] })),
  followed('L2 10.1', `${W}/calibrations/media_pump`, of([calibration])),
  followed('L2 10.2', `${W}/active_calibrations`, of({ '*': calibration })),
  followed('L2 10.3', `${W}/estimators`, of({ '*': [estimator] })),
  followed('L2 10.3', `${W}/active_estimators`, of({ '*': estimator })),
  followed('L2 10.4', `${W}/calibration_protocols`, of([protocol])),
  shown(
    'L2 10.5',
    session_,
    { session, step },
    {
      method: 'POST',
      status: 201,
      body: { target_device: 'media_pump', protocol_name: 'duration_based' },
      learns: { session: 'session.session_id' },
    },
  ),
  shown('L2 10.5', `${session_}/{session}`, { session, step }),
  shown('L2 10.5', `${session_}/{session}/abort`, { session, step }, { method: 'POST', body: {} }),
  shown('L2 19', `${W}/camera/experiments/{E}/status`, camera),
  followed(['L2 2.2', 'SP 4.2'], '/api/datasets/exportable/export', exported, { method: 'POST', body: exporting }),
];

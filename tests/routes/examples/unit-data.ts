import {
  acceptance,
  accepted,
  automationDescriptor,
  calibration,
  camera,
  capability,
  errorBody,
  estimator,
  file,
  followedOfUnit,
  jobDescriptor,
  jobRow,
  ofUnit,
  protocol,
  repaired,
  session,
  settingsDescriptor,
  step,
  success,
  text,
} from './common-shapes.ts';
import type { Example } from './example.ts';

const api = '/unit_api';
const values = {
  current_volume_ml: 'number',
  efflux_tube_volume_ml: 'number',
  alt_media_fraction: 'number',
  cumulative_media_added_ml: 'number',
  cumulative_alt_media_added_ml: 'number',
  cumulative_waste_removed_ml: 'number',
};
const removed = { msg: 'text' };
const sessions = `${api}/calibrations/sessions`;
const refused = (status: number, more: object = {}) => ({ status, ...more });

const reactor = { MODEL_NAME: 'reactor_40ml', MODEL_VERSION: '1.5' };
const tooMuch = { options: { ml: 30 }, env: { EXPERIMENT: '{E}', ...reactor } };
const unknownModel = {
  options: { ml: 1 },
  env: { EXPERIMENT: '{E}', MODEL_NAME: 'nobody_knows', MODEL_VERSION: '1' },
};

/** What a unit shows of itself, in the order of the sheet's appendix. */
export const unitExamples: readonly Example[] = [
  ofUnit(['U A', 'J 1.17'], `${api}/task_results/unknown`, errorBody(404), refused(404)),
  ofUnit('U A', `${api}/jobs`, [
    {
      job_id: 'integer',
      job_name: 'text',
      experiment: 'text',
      job_source: 'text',
      unit: 'text',
      started_at: 'time',
      ended_at: 'time | null',
      // Ours.
      reactor_unit: 'text',
    },
  ]),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/running`, [jobRow]),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/running/stirring`, [jobRow]),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/running/experiments/{E}`, [jobRow]),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/running/experiments/nowhere`, '[]'),
  ofUnit(['U A', 'J 1.17'], `${api}/long_running_jobs/running`, [{ ...Object(jobRow), is_long_running_job: '1' }]),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/settings/job_name/stirring`, {
    settings: { $state: '"ready"', target_rpm: 'number', '...': 'text' },
    job_id: 'integer',
  }),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/settings/job_name/absent`, errorBody(404), refused(404)),
  ofUnit(['U A', 'J 1.17'], `${api}/jobs/settings/job_name/stirring/setting/target_rpm`, { target_rpm: 'number' }),
  ofUnit('U A', `${api}/jobs/settings/job_name/stirring/setting/absent`, errorBody(404), refused(404)),
  ofUnit(
    ['U A', 'J 1.17'],
    `${api}/jobs/settings/job_name/stirring`,
    { status: '"accepted"', settings: { target_rpm: '300' } },
    {
      method: 'PATCH',
      status: 202,
      body: { settings: { target_rpm: 300 } },
    },
  ),
  ofUnit('U A', `${api}/capabilities`, [capability]),
  ofUnit('U A', `${api}/jobs/descriptors`, [jobDescriptor]),
  ofUnit('U A', `${api}/settings/descriptors`, [settingsDescriptor]),
  ofUnit('U A', `${api}/automations/descriptors/temperature`, [automationDescriptor]),
  ofUnit('U A', `${api}/automations/descriptors/foo`, errorBody(400), refused(400)),
  ofUnit('U A', `${api}/jobs/stop`, errorBody(400), refused(400, { method: 'PATCH', body: {} })),
  ofUnit('U A', `${api}/jobs/run/job_name/add_media`, errorBody(400), {
    ...refused(400, { method: 'POST', body: tooMuch, note: 'too much' }),
  }),
  ofUnit('U A', `${api}/jobs/run/job_name/add_media`, errorBody(400), {
    ...refused(400, { method: 'POST', body: unknownModel, note: 'unknown model' }),
  }),
  ofUnit('U A', `${api}/jobs/run/job_name/od_reading`, errorBody(400), {
    ...refused(400, { method: 'POST', body: { options: { nothing: 1 } } }),
  }),
  followedOfUnit(
    'U A',
    `${api}/jobs/stop`,
    { stopped: [{ job_name: '"stirring"', job_id: 'integer' }], still_running: '[]' },
    {
      method: 'PATCH',
      body: { job_name: 'stirring', experiment: '{E}' },
    },
  ),
  ofUnit('U A', `${api}/jobs/stop/all`, accepted, { method: 'POST', ...acceptance }),
  ofUnit('U A', `${api}/plugins/installed`, '[]'),
  ofUnit('U A', `${api}/plugins/installed/absent.js`, errorBody(404), refused(404)),
  ofUnit('U A', `${api}/plugins/install`, errorBody(400), refused(400, { method: 'POST', body: { args: ['a', 'b'] } })),
  ofUnit('U A', `${api}/calibrations`, { media_pump: [calibration], od90: [calibration] }),
  ofUnit('U A', `${api}/calibrations/media_pump`, [calibration]),
  ofUnit('U A', `${api}/calibrations/media_pump/media-2026`, { ...Object(calibration), is_active: 'true' }),
  ofUnit('U A', `${api}/calibrations/media_pump/absent`, errorBody(404), refused(404)),
  ofUnit('U A', `${api}/active_calibrations`, { '*': calibration }),
  ofUnit('U A', `${api}/active_calibrations/media_pump`, success, { method: 'DELETE' }),
  ofUnit('U A', `${api}/active_calibrations/media_pump/media-2026`, success, { method: 'PATCH' }),
  ofUnit('U A', `${api}/calibrations/od90/od-cal-2026`, removed, { method: 'DELETE' }),
  ofUnit(
    'U A',
    `${api}/calibrations/od90/od-cal-2026`,
    errorBody(404),
    refused(404, { method: 'DELETE', note: 'again' }),
  ),
  ofUnit('U A', `${api}/zipped_calibrations`, 'integer', file),
  ofUnit('U A', `${api}/estimators`, { od_fused: [estimator] }),
  ofUnit('U A', `${api}/estimators/od_fused`, [estimator]),
  ofUnit('U A', `${api}/estimators/od_fused/est1`, estimator),
  ofUnit('U A', `${api}/active_estimators`, { od_fused: estimator }),
  ofUnit('U A', `${api}/active_estimators/od_fused`, success, { method: 'DELETE' }),
  ofUnit('U A', `${api}/active_estimators/od_fused/est1`, success, { method: 'PATCH' }),
  ofUnit('U A', `${api}/estimators/od_fused/est1`, removed, { method: 'DELETE' }),
  ofUnit('U A', `${api}/calibration_protocols`, [protocol]),
  ofUnit(
    'U A',
    sessions,
    { session, step },
    {
      method: 'POST',
      status: 201,
      body: { target_device: 'media_pump', protocol_name: 'duration_based' },
      learns: { session: 'session.session_id' },
    },
  ),
  ofUnit(
    'U A',
    sessions,
    errorBody(400),
    refused(400, { method: 'POST', body: { protocol_name: 'x' }, note: 'no device' }),
  ),
  ofUnit('U A', `${sessions}/{session}`, { session, step }),
  ofUnit('U A', `${sessions}/{session}/inputs`, { session, step }, { method: 'POST', body: { inputs: {} } }),
  ofUnit(
    'U A',
    `${sessions}/{session}/abort`,
    {
      session: { ...Object(session), status: '"aborted"', error: 'text' },
      step: { ...Object(step), step_id: '"ended"' },
    },
    {
      method: 'POST',
      body: {},
    },
  ),
  ofUnit('U A', `${sessions}/unknown`, errorBody(404), refused(404)),
  ofUnit('U A', `${api}/bioreactor/experiments/{E}`, { values }),
  ofUnit(
    'U A',
    `${api}/bioreactor/experiments/{E}`,
    { ...Object(success), values },
    {
      method: 'PATCH',
      body: { values: { current_volume_ml: 12.5 } },
    },
  ),
  ofUnit('U A', `${api}/config/merged`, { '*': { '*': 'text' } }),
  ofUnit('U A', `${api}/config/specific`, 'INI text', text),
  followedOfUnit(
    'U A',
    `${api}/hardware/check`,
    { status: 'text', '...': 'object' },
    {
      method: 'POST',
      body: { model_name: 'reactor_40ml', model_version: '1.5' },
    },
  ),
  ofUnit(['U A', 'J 1.17'], `${api}/health`, {
    status: '"ok"',
    reactor_unit: '"unit1"',
    utc_time: 'time',
    instance: 'text',
  }),
  ofUnit('U A', `${api}/system/path/storage`, { current: 'text', dirs: ['text'], files: ['text'] }),
  ofUnit('U A', `${api}/system/path/absent`, errorBody(404), refused(404)),
  ofUnit(
    'U A',
    `${api}/system/remove_file`,
    errorBody(403),
    refused(403, { method: 'POST', body: { filepath: '../x' } }),
  ),
  ofUnit(['U A', 'J 1.17'], `${api}/system/utc_clock`, { status: '"success"', clock_time: 'time' }),
  ofUnit(
    'U A',
    `${api}/system/utc_clock`,
    errorBody(400),
    refused(400, { method: 'POST', body: { utc_clock_time: 'soon' } }),
  ),
  ofUnit('U A', `${api}/system/web_server/status`, errorBody(403), refused(403)),
  ofUnit('U A', `${api}/system/update/plan9`, errorBody(404), refused(404, { method: 'POST', body: {} })),
  followedOfUnit('U A', `${api}/system/repair`, repaired, { method: 'POST' }),
  ofUnit('U A', `${api}/zipped_dot_reactor`, 'integer', file),
  ofUnit('U A', `${api}/usb`, { status: '"absent"', partitions: '[]', active_mount: 'null' }),
  ofUnit('U A', `${api}/usb/artifacts`, errorBody(400), refused(400)),
  ofUnit('U A', `${api}/camera/experiments/{E}/status`, camera),
  ofUnit('U A', `${api}/versions/app`, { version: 'text' }),
  ofUnit('U A', `${api}/versions/ui`, { version: 'text' }),
  ofUnit('U A', `${api}/system/reboot`, accepted, { method: 'POST', ...acceptance }),
];

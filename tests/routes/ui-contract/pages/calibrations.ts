import { expect } from 'vitest';
import { odYaml, pumpYaml } from '../../calibration-fixtures.ts';
import { taskResult } from '../client.ts';
import { changes, follows, reads, type UiPage } from '../page.ts';
import { faults, type Shape } from '../shape.ts';

const calibration: Shape = {
  calibration_name: 'text',
  calibration_type: 'text',
  created_at: 'time',
  is_active: 'boolean',
  reactor_unit: 'text',
  x: 'text',
  y: 'text',
  recorded_data: { x: ['number'], y: ['number'] },
  curve_data_: { type: '"poly" | "spline" | "akima"', coefficients: 'list', 'knots?': ['number'] },
};

const estimator: Shape = {
  estimator_name: 'text',
  angles: ['text'],
  mu_splines: 'object',
  sigma_splines_log: 'object',
  created_at: 'time',
  is_active: 'boolean',
  reactor_unit: 'text',
};

const step: Shape = { title: 'text', body: 'text', step_type: 'text', fields: 'list', metadata: 'object' };
const field: Shape = {
  name: 'text',
  label: 'text',
  field_type: '"bool" | "choice" | "float" | "float_list" | "int" | "string"',
  options: 'list | null',
  default: 'text | number | boolean | list | null',
  help_text: 'text | null',
};

const done: Shape = { '{U}': { ok: 'true', unit: 'text', value: 'object' } };
const of = (value: Shape): Shape => ({ '{U}': { ok: 'true', unit: 'text', value } });
const worker = '/api/workers/{U}';
const everyone = '/api/workers/$broadcast';
const sessions = `${worker}/calibrations/sessions`;
const upload = { calibration_data: pumpYaml('second'), set_as_active: false };

export const calibrations: UiPage = {
  title: 'Calibrations, estimators, protocols',
  testFile: 'calibrations-experiments-plugins.test.ts',
  requests: [
    follows('required', `${everyone}/calibrations`, of({ '*': [calibration] })),
    follows('feature', `${everyone}/active_calibrations`, of({ '*': calibration })),
    follows('feature', `${worker}/calibrations/media_pump`, done, { method: 'POST', body: upload }),
    follows('feature', `${worker}/calibrations/media_pump/second`, of(calibration)),
    follows('feature', `${worker}/active_calibrations/media_pump/second`, done, { method: 'PATCH' }),
    follows('feature', `${worker}/active_calibrations/media_pump`, done, { method: 'DELETE' }),
    follows('feature', `${worker}/calibrations/media_pump/second`, done, { method: 'DELETE' }),
    reads('feature', `${everyone}/zipped_calibrations`, 'integer', { answer: 'file' }),
    follows('required', `${everyone}/estimators`, of({ '*': [estimator] })),
    follows('feature', `${worker}/active_estimators`, of({ '*': estimator })),
    follows('feature', `${worker}/estimators/od_fused/est1`, of(estimator)),
    follows('feature', `${worker}/active_estimators/od_fused`, done, { method: 'DELETE' }),
    follows('feature', `${worker}/active_estimators/od_fused/est1`, done, { method: 'PATCH' }),
    follows('feature', `${worker}/estimators/od_fused/est1`, done, { method: 'DELETE' }),
    reads('required', '/api/workers', [{ reactor_unit: 'text' }]),
    follows(
      'required',
      `${worker}/calibration_protocols`,
      of([
        {
          id: 'text',
          target_device: 'text',
          protocol_name: 'text',
          title: 'text',
          description: 'text',
          requirements: 'list',
        },
      ]),
    ),
    reads(
      'feature',
      sessions,
      { session: { session_id: 'text', status: '"in_progress"' }, step },
      {
        method: 'POST',
        status: 201,
        body: { protocol_name: 'duration_based', target_device: 'media_pump' },
        learns: { session: 'session.session_id' },
      },
    ),
    reads('feature', `${sessions}/{session}`, { session: { session_id: 'text', status: '"in_progress"' }, step }),
    reads('feature', `${sessions}/{session}/inputs`, { step }, { method: 'POST', body: { inputs: {} } }),
    changes('POST', `${sessions}/{session}/abort`, 200, { body: {} }),
  ],
  rules: [
    {
      rule: 'a curve is an object with coefficients: from the highest power, or four for each piece of a spline',
      level: 'required',
      shows: async (scene) => {
        const accepted = await scene.leader.client.listCalibrations({ params: { reactor_unit: 'unit1' } });
        expect(await taskResult(scene, accepted)).toMatchObject({
          unit1: {
            value: {
              media_pump: [{ curve_data_: { type: 'poly', coefficients: [0.5, 0] } }],
              od90: [{ curve_data_: { type: 'spline', knots: [0, 1], coefficients: [[0.01, 0.5, 0, 0]] } }],
            },
          },
        });
      },
    },
    {
      rule: 'an invalid calibration is refused at once; an upload to all units has one entry per unit',
      level: 'feature',
      shows: async (scene) => {
        const { leader } = scene;
        const params = { reactor_unit: '$broadcast', device: 'od90' };
        const bad = await leader.api.call('createCalibration', { params, body: { calibration_data: 'a: [' } });
        bad.expect(400, 'calibration_invalid');
        const body = { calibration_data: odYaml, set_as_active: true };
        const accepted = await leader.client.createCalibration({ params, body });
        expect(await taskResult(scene, accepted)).toMatchObject({ unit1: { ok: true, unit: 'unit1' } });
      },
    },
    {
      rule: 'a missing calibration is an entry with ok false',
      level: 'feature',
      shows: async (scene) => {
        const params = { reactor_unit: 'unit1', device: 'media_pump', cal_name: 'absent' };
        const accepted = await scene.leader.client.getCalibration({ params });
        expect(await taskResult(scene, accepted)).toMatchObject({ unit1: { ok: false } });
      },
    },
    {
      rule: 'the fields of a step describe their controls completely',
      level: 'feature',
      shows: async ({ leader }) => {
        const { client } = leader;
        const body = { protocol_name: 'duration_based', target_device: 'media_pump' };
        const { session } = await client.startCalibrationSession({ params: { reactor_unit: 'unit1' }, body });
        const params = { reactor_unit: 'unit1', session_id: session.session_id };
        let shown = await client.advanceCalibrationSession({ params, body: { inputs: {} } });
        while (shown.step?.step_type !== 'form') {
          shown = await client.advanceCalibrationSession({ params, body: { inputs: {} } });
        }
        expect(faults(shown.step.fields, [field])).toEqual([]);
        await client.abortCalibrationSession({ params });
      },
    },
  ],
};

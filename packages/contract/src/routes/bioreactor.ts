import { Type } from 'typebox';
import { BiomassSignals } from '../resources/biomass.ts';
import { BioreactorChange, BioreactorReport, BioreactorValues } from '../resources/bioreactor.ts';
import { closed } from '../resources/common.ts';
import { routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const tag = 'Units';

/** The vial state of a unit. */
export const bioreactorRoutes = routes({
  getBiomassSignals: {
    method: 'GET',
    path: '/unit_api/biomass_signals',
    summary: 'Biomass signals of this unit, their scales and newest values',
    tag,
    permission: 'jobs.read',
    responses: ok(BiomassSignals),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  getBioreactor: {
    method: 'GET',
    path: '/unit_api/bioreactor/experiments/{experiment}',
    summary: 'Volumes and media of the vial in an experiment',
    description: 'An experiment without records of this unit has the configured values.',
    tag,
    permission: 'jobs.read',
    responses: ok(BioreactorReport),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  setBioreactor: {
    method: 'PATCH',
    path: '/unit_api/bioreactor/experiments/{experiment}',
    summary: 'Correct the state of the vial',
    description:
      'All values are applied or none: each is an entry of the ledger, published on MQTT and written to the event log. In addition to the six values, `media_bottle_left_ml`, `alt_media_bottle_left_ml` and `waste_bottle_left_ml` (free volume) record a changed bottle, where its size is configured.',
    tag,
    permission: 'jobs.run',
    body: BioreactorChange,
    responses: ok(closed({ status: Type.Literal('success'), values: BioreactorValues })),
    errors: ['bioreactor_values_invalid', 'unit_without_board'],
    cache: 'no-store',
    origin: 'extension',
  },
});

/** The same for workers of an experiment, through the leader. */
export const leaderBioreactorRoutes = routes({
  getWorkerBiomassSignals: {
    method: 'GET',
    path: '/api/workers/{reactor_unit}/biomass_signals',
    summary: 'Biomass signals of a worker, their scales and newest values',
    description: '`$broadcast`: all workers. The task has one outcome for each unit, and ends within 4 s.',
    tag,
    permission: 'jobs.read',
    responses: accepted,
    errors: ['unit_unknown'],
    cache: 'no-store',
    origin: 'extension',
  },
  getWorkerBioreactor: {
    method: 'GET',
    path: '/api/workers/{reactor_unit}/bioreactor/experiments/{experiment}',
    summary: 'Volumes and media of the vials of workers in an experiment',
    description:
      '`$broadcast`: all workers of the experiment. The task has one outcome for each unit: `{values}`; it ends within 4 s.',
    tag,
    permission: 'jobs.read',
    responses: accepted,
    errors: ['unit_unknown'],
    cache: 'no-store',
    origin: 'extension',
  },
  updateBioreactor: {
    method: 'PATCH',
    path: '/api/workers/{reactor_unit}/bioreactor/update/experiments/{experiment}',
    summary: 'Correct the state of the vials of workers',
    description: '`$broadcast`: all workers of the experiment. One outcome per unit.',
    tag,
    permission: 'jobs.run',
    body: BioreactorChange,
    responses: accepted,
    errors: ['unit_unknown', 'bioreactor_values_invalid', 'experiment_not_found'],
    cache: 'no-store',
    origin: 'extension',
  },
  blinkWorker: {
    method: 'POST',
    path: '/api/workers/{reactor_unit}/blink',
    summary: 'Blink the light of a worker, to find it on the bench',
    description: '`$broadcast`: all workers. The answer does not wait for the blinking.',
    tag,
    permission: 'jobs.run',
    responses: { 202: { description: 'The command is sent', schema: closed({ status: Type.Literal('accepted') }) } },
    errors: ['unit_unknown'],
    cache: 'no-store',
    origin: 'specification',
  },
});

export const blinkRoutes = routes({
  blink: {
    method: 'POST',
    path: '/unit_api/monitor/blink',
    summary: 'Blink the light of this unit, to find it on the bench',
    tag,
    permission: 'jobs.run',
    responses: { 202: { description: 'Blinking starts', schema: closed({ status: Type.Literal('accepted') }) } },
    errors: ['unit_without_board'],
    cache: 'no-store',
    origin: 'extension',
  },
});

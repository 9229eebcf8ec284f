import { Type } from 'typebox';
import { Capability } from '../resources/capability.ts';
import { HardwareCheck } from '../resources/hardware.ts';
import { routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

/** Capabilities of a node of any role. */
export const capabilityRoutes = routes({
  getCapabilities: {
    method: 'GET',
    path: '/unit_api/capabilities',
    summary: 'Jobs and automations of this node, with their options and settings',
    description: 'One entry per job, or per kind of an automation, by name.',
    tag: 'Jobs',
    permission: 'system.read',
    responses: ok(Type.Array(Capability)),
    errors: [],
    cache: 'no-cache',
    origin: 'specification',
  },
});

const check = {
  path: '/unit_api/hardware/check',
  summary: 'Check whether the chips that a model needs answer',
  description: 'The task succeeds with `{status, reason?}`; a chip that does not answer is a warning.',
  tag: 'Units',
  permission: 'jobs.run',
  body: HardwareCheck,
  responses: accepted,
  errors: ['model_unknown', 'unit_without_board'],
  cache: 'no-store',
  origin: 'extension',
} as const;

/** Check of the board. */
export const hardwareRoutes = routes({
  checkHardware: { ...check, method: 'POST' },
  checkHardwareByPatch: { ...check, method: 'PATCH' },
});

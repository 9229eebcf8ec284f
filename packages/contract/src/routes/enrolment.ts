import { Enrolled, Enrolment } from '../feed/enrolment.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

/** Enrolment of a unit with its leader. */
export const enrolmentRoutes = routes({
  enrolUnit: {
    method: 'POST',
    path: '/api/units/enrol',
    summary: 'Enrol a unit: its address and identity',
    description:
      'Enrols a machine; it becomes a worker through the inventory. From loopback no code is needed. See docs/interfaces/enrolment.md.',
    tag: 'Units',
    permission: 'node.enrol',
    body: Enrolment,
    responses: ok(Enrolled, 'Known'),
    errors: [
      'unit_name_invalid',
      'enrol_code_needed',
      'enrol_code_wrong',
      'base_url_foreign',
      'unit_name_taken',
      'machine_registered',
      'machine_twice',
      'unit_replaced',
      'protocol_unsupported',
    ],
    cache: 'no-store',
    origin: 'extension',
  },
});

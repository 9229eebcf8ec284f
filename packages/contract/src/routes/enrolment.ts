import { Type } from 'typebox';
import { Enrolled, Enrolment, EnrolmentChallenge, EnrolmentChallengeRequest } from '../feed/enrolment.ts';
import { CreatedEnrolmentCode, EnrolmentCode, EnrolmentCodeCreation, JoinRequest } from '../resources/machine.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';

const shared = { tag: 'Units', cache: 'no-store', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;
const read = { ...shared, method: 'GET', permission: 'inventory.read' } as const;
const write = { ...shared, permission: 'inventory.write' } as const;

const codesPath = '/api/units/enrolment-codes';
const joinsPath = '/api/units/join-requests';
const credentialsPath = '/api/units/{reactor_unit}/credentials';

/** Enrolment of a unit with its leader. */
export const enrolmentRoutes = routes({
  enrolUnit: {
    method: 'POST',
    path: '/api/units/enrol',
    summary: 'Enrol a unit: its address and identity',
    description:
      'Enrols a machine; it becomes a worker through the inventory. Without people, no code is needed from loopback. See docs/interfaces/enrolment.md.',
    tag: 'Units',
    permission: 'node.enrol',
    body: Enrolment,
    responses: ok(Enrolled, 'Known'),
    errors: [
      'unit_name_invalid',
      'enrol_code_needed',
      'enrol_code_wrong',
      'enrol_proof_wrong',
      'enrol_approval_needed',
      'enrol_refused',
      'unit_revoked',
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
  beginEnrolment: {
    ...shared,
    method: 'POST',
    path: '/api/units/enrol/challenge',
    summary: 'What a machine must sign to enrol',
    permission: 'node.enrol',
    body: EnrolmentChallengeRequest,
    responses: ok(EnrolmentChallenge),
    errors: ['enrol_proof_wrong', 'too_many_requests'],
  },
});

/** Credentials of machines: one-time codes, requests to join, revocation and rotation. */
export const machineRoutes = routes({
  listEnrolmentCodes: {
    ...read,
    path: codesPath,
    summary: 'One-time codes that can be used, without the codes themselves',
    responses: ok(Type.Array(EnrolmentCode)),
    errors: [],
  },
  createEnrolmentCode: {
    ...write,
    method: 'POST',
    path: codesPath,
    summary: 'Make a one-time code for a unit',
    description: 'Valid for 15 minutes, once, until the leader restarts. Five wrong codes void all of them.',
    body: EnrolmentCodeCreation,
    responses: { 201: { description: 'Created', schema: CreatedEnrolmentCode } },
    errors: ['unit_name_invalid', 'enrol_codes_full'],
  },
  voidEnrolmentCode: {
    ...write,
    method: 'DELETE',
    path: `${codesPath}/{code_id}`,
    summary: 'Void a one-time code',
    responses: acknowledged,
    errors: ['enrol_code_not_found'],
  },
  listJoinRequests: {
    ...read,
    path: joinsPath,
    summary: 'Machines that want to join without a one-time code',
    responses: ok(Type.Array(JoinRequest)),
    errors: [],
  },
  approveJoinRequest: {
    ...write,
    method: 'POST',
    path: `${joinsPath}/{join_id}/approval`,
    summary: 'Let a machine join',
    description: 'First compare its fingerprint with the one that the unit shows.',
    responses: acknowledged,
    errors: ['join_request_not_found'],
  },
  refuseJoinRequest: {
    ...write,
    method: 'DELETE',
    path: `${joinsPath}/{join_id}`,
    summary: 'Refuse a machine; it may not ask again for an hour',
    responses: acknowledged,
    errors: ['join_request_not_found'],
  },
  revokeCredentials: {
    ...write,
    method: 'DELETE',
    path: credentialsPath,
    summary: 'Revoke the credentials of a unit at once',
    description:
      'The leader refuses its requests and its connections to the broker, and sends it none. It joins again with a one-time code or an approval.',
    responses: acknowledged,
    errors: ['unit_without_credentials'],
  },
  rotateCredentials: {
    ...write,
    method: 'POST',
    path: `${credentialsPath}/rotation`,
    summary: 'Issue new credentials to a unit',
    description: 'At its next enrolment, which the leader requests. Until then the former ones are valid.',
    responses: acknowledged,
    errors: ['unit_without_credentials'],
  },
});

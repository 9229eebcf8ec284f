import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** What the check of a start has found. */
export const PreflightFinding = closed(
  {
    severity: Type.Union([Type.Literal('blocks'), Type.Literal('warns')], {
      description: '`blocks`: the start is refused unless it has the option `ignore-findings`',
    }),
    code: Type.String({ description: 'A stable word, such as `unit_unreachable`' }),
    reactor_unit: Nullable(Type.String({ description: 'Null: the finding is about the leader or the profile' })),
    message: Type.String(),
    remediation: Type.String(),
    job_name: Type.Optional(Type.String({ description: 'The running job that it is about' })),
  },
  { title: 'PreflightFinding' },
);
export type PreflightFinding = Static<typeof PreflightFinding>;

export const PreflightReport = closed(
  {
    checked_at: Timestamp,
    findings: Type.Array(PreflightFinding, { description: 'Those that block first' }),
    checks: Type.Array(Type.String(), { description: 'The checks that were made' }),
  },
  { title: 'PreflightReport' },
);
export type PreflightReport = Static<typeof PreflightReport>;

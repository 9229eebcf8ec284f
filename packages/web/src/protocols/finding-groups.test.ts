import { expect, it } from 'vitest';
import { findingGroups } from './finding-groups.ts';

const running = (unit: string, severity: 'blocks' | 'warns' = 'blocks') => ({
  severity,
  code: 'job_running',
  reactor_unit: unit,
  message: `Line 19: stirring is running on ${unit} already (target_rpm 500): this start fails.`,
  remediation: 'Stop the job before the run.',
});

const noStep = () => undefined;

it('shows what several units have in common once, with its units in natural order', () => {
  const [group, ...others] = findingGroups([running('rx10'), running('rx2'), running('rx1')], noStep);
  expect(others).toEqual([]);
  expect(group?.units).toEqual(['rx1', 'rx2', 'rx10']);
  expect(group?.text).toBe(
    'Stirring is running already (target RPM 500): this start fails. Stop the job before the run. (Line 19 of the text.)',
  );
});

it('names the step in words where the plan has it: a form shows no lines', () => {
  const [group] = findingGroups([running('rx1')], (line) => (line === 19 ? 'Start stirring' : undefined));
  expect(group?.text).toMatch(/ \(Step: Start stirring\.\)$/);
});

it('keeps apart what differs, and what is about no unit', () => {
  const leader = {
    severity: 'warns' as const,
    code: 'x',
    reactor_unit: null,
    message: 'The disk is full.',
    remediation: 'Delete data.',
  };
  const groups = findingGroups([running('rx1'), running('rx2', 'warns'), leader], noStep);
  expect(groups.map(({ severity, units }) => [severity, units])).toEqual([
    ['blocks', ['rx1']],
    ['warns', ['rx2']],
    ['warns', []],
  ]);
});

import { expect, it } from 'vitest';
import { worstFinding } from './unit-health.ts';

const alarm = (reactor_unit: string | null, severity: 'warning' | 'error' | 'critical', title: string) => ({
  reactor_unit,
  severity,
  title,
});

it('names the worst of alarms and remarks of the unit; alarms before remarks of the same severity', () => {
  const alarms = [alarm('u1', 'warning', 'a'), alarm('u2', 'critical', 'b'), alarm(null, 'critical', 'c')];
  const remark = { severity: 'error', text: 'd' } as const;
  expect(worstFinding('u1', alarms, [])).toEqual({ severity: 'warning', text: 'a' });
  expect(worstFinding('u1', alarms, [remark])).toEqual(remark);
  expect(worstFinding('u1', [alarm('u1', 'error', 'e')], [remark])).toEqual({ severity: 'error', text: 'e' });
  expect(worstFinding('u2', alarms, [remark])?.text).toBe('b');
  expect(worstFinding('u3', alarms, [])).toBeNull();
});

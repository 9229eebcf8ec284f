import { declaredSetting } from '@lcs/domain';
import { expect, it } from 'vitest';
import { effectWords, savedText } from './saved-text.ts';

it('the text after a save holds for the settings that it changed', () => {
  const before = '[bioreactor]\nmedia_bottle_ml=0\n[stirring.config]\ninitial_target_rpm=500\n';
  const bottle = before.replace('bottle_ml=0', 'bottle_ml=100');
  const rpm = before.replace('rpm=500', 'rpm=450');
  expect(declaredSetting('bioreactor', 'media_bottle_ml')?.needsRestart).toBe('no');
  expect(declaredSetting('stirring.config', 'initial_target_rpm')?.needsRestart).toBe('job');
  const saved = (after: string) => {
    const text = savedText(before, after).toLowerCase();
    return (['no', 'job', 'node'] as const).filter((when) => text.includes(effectWords[when]));
  };
  expect(saved(before)).toEqual([]);
  expect(saved(bottle)).toEqual(['no']);
  expect(saved(rpm)).toEqual(['job']);
  expect(saved(bottle.replace('rpm=500', 'rpm=450'))).toEqual(['no', 'job']);
  expect(savedText(before, bottle.replace('rpm=500', 'rpm=450'))).toContain('Initial target RPM');
  // A removed line and another comment.
  expect(saved(`# by hand\n${before.replace('initial_target_rpm=500\n', '')}`)).toEqual(['job']);
});

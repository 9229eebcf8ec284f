import { expect, it } from 'vitest';
import { jobDescriptors } from '../descriptors/built-in-job-descriptors.ts';
import { builtInJobs } from './built-in-jobs.ts';
import { jobTitle, jobTitleInText, jobTitles } from './job-titles.ts';

it('each job has one name, that of its descriptor', () => {
  expect(jobDescriptors.map(({ display_name }) => display_name)).toEqual(
    jobDescriptors.map(({ job_name }) => jobTitle(job_name)),
  );
  const unnamed = builtInJobs.filter(({ name }) => !Object.hasOwn(jobTitles, name)).map(({ name }) => name);
  expect(unnamed).toEqual([]);
  expect(new Set(Object.values(jobTitles)).size).toBe(Object.values(jobTitles).length);
});

it('the job of a plugin has the name of its descriptor, or its key in words', () => {
  expect(jobTitle('air_bubbler', [{ job_name: 'air_bubbler', display_name: 'Air' }])).toBe('Air');
  expect(jobTitle('air_bubbler')).toBe('Air bubbler');
});

it('within a sentence a name begins with a small letter, except an abbreviation', () => {
  expect(['od_reading', 'temperature_automation'].map((name) => jobTitleInText(name))).toEqual([
    'OD reading',
    'temperature control',
  ]);
});

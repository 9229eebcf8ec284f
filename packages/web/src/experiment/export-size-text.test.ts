import { ApiError, ProblemError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { datasetSizeText, estimateProblem, isTooLarge, rowsText, totalSizeText } from './export-size-text.ts';

const estimate = { datasets: [], rows: 0, bytes: 14_000_000, zip_bytes: 3_000_000, available_bytes: 5_000_000 };
const dataset = { dataset_name: 'od', rows: 123_456, bytes: 14_000_000, zip_bytes: 3_000_000 };
const unknown = { dataset_name: 'mine', rows: null, bytes: null, zip_bytes: null };

describe('the size of an export', () => {
  it('that is not known has the reason of the leader', () => {
    const problem = (error: ApiError) => estimateProblem(new ProblemError('answer', error.body));
    expect(problem(new ApiError('dataset_too_slow', { dataset: 'mine', limitS: 10 }))).toContain('in time');
    const { body } = new ApiError('experiment_not_found', { experiment: 'a' });
    expect(problem(new ApiError('experiment_not_found', { experiment: 'a' }))).toContain(body.cause);
  });

  it('has exact numbers of few rows, and rounded ones of many', () => {
    expect([rowsText(0), rowsText(1), rowsText(340)]).toEqual(['0 rows', '1 row', '340 rows']);
    expect(rowsText(123_456)).toMatch(/^about 120.000 rows$/);
  });

  it('is known of each dataset, or not', () => {
    expect(datasetSizeText(dataset)).toMatch(/^about 120.000 rows, 14\.0 MB$/);
    expect(datasetSizeText(unknown)).toBe('size not known');
  });

  it('is that of the zip file, at least where one is not known', () => {
    expect(totalSizeText({ ...estimate, datasets: [dataset] })).toBe(
      'The zip file will have about 3.00 MB, 14.0 MB when unpacked.',
    );
    expect(totalSizeText({ ...estimate, datasets: [dataset, unknown] })).toContain('more than 3.00 MB');
    expect(totalSizeText({ ...estimate, bytes: 3_000_000 })).toBe('The zip file will have about 3.00 MB.');
  });

  it('is compared with the free space', () => {
    expect(isTooLarge(estimate)).toBe(false);
    expect(isTooLarge({ ...estimate, available_bytes: 2_999_999 })).toBe(true);
  });
});

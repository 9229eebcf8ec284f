import { Radio, Stack } from '@mantine/core';
import { jobsWords } from '../words/jobs.ts';
import type { BiomassChoice } from './biomass-choices.ts';
import type { StartField } from './job-forms.ts';

interface BiomassFieldProps {
  readonly field: StartField;
  readonly choices: readonly BiomassChoice[];
  readonly value: string;
  readonly fault: string | null;
  readonly onChange: (signal: string) => void;
}

/** The scale of a target, chosen each time, with what each unit measures on it now. */
export function BiomassField({ field, choices, value, fault, onChange }: BiomassFieldProps) {
  return (
    <Radio.Group
      label={field.label}
      description={jobsWords.scaleOfTarget}
      value={value}
      onChange={onChange}
      withAsterisk
      {...(fault === null ? {} : { error: fault })}
    >
      <Stack gap={6} mt={6}>
        {choices.map(({ signal, label, unit, help, now, missing }) => (
          <Radio
            key={signal}
            value={signal}
            label={`${label} (${unit})`}
            description={missing ?? jobsWords.nowWithHelp(now, help)}
            disabled={missing !== null}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

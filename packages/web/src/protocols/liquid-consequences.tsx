import type { ProfilePlan } from '@lcs/contract';
import { dosingAutomationJob, temperatureAutomationJob } from '@lcs/domain';
import { Alert, List, Text } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { useBiomassChoices } from '../jobs/use-biomass-choices.ts';
import { useTemperatures } from '../jobs/use-temperatures.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { protocolsWords } from '../words/protocols.ts';
import { unitNameText } from '../words/unit-name.ts';
import { runConsequences } from './run-consequences.ts';

/** More are not read before a start. */
const mostSteps = 8;

/** What a run does to the liquid of its units: where it heats, its targets and its doses, and what that means now. */
export function LiquidConsequences({ plan }: { readonly plan: ProfilePlan }) {
  const units = useMemo(() => plan.units.map(({ reactor_unit }) => reactor_unit), [plan]);
  const labels = useMemo(() => new Map(plan.units.map(({ reactor_unit, label }) => [reactor_unit, label])), [plan]);
  const nameOf = useCallback((unit: string): string => unitNameText(unit, labels.get(unit)), [labels]);
  const uses = (job: string): boolean =>
    plan.units.some(({ actions }) => actions.some((each) => each.job_name === job));
  const { reported } = useBiomassChoices(units, nameOf, uses(dosingAutomationJob.name));
  const temperatures = useTemperatures(units, nameOf, uses(temperatureAutomationJob.name));
  const { steps, texts, warnings } = useMemo(
    () =>
      runConsequences(plan, (unit) => {
        const at = units.indexOf(unit);
        const name = nameOf(unit);
        return {
          signals: reported[at] ?? { unit: name, signals: undefined },
          temperature: temperatures[at] ?? { unit: name, liquidC: null },
        };
      }),
    [plan, units, nameOf, reported, temperatures],
  );
  if (steps.length === 0) return null;
  return (
    <>
      <Alert color="blue" variant="light" p="xs" role="status">
        <Text size="sm">{protocolsWords.temperaturesAndDoses}</Text>
        <List size="sm">
          {steps.slice(0, mostSteps).map(({ text, units: of }) => (
            <List.Item key={text}>{protocolsWords.stepOnUnits(of.join(', '), text)}</List.Item>
          ))}
          {steps.length > mostSteps && <List.Item>{protocolsWords.moreSteps(steps.length - mostSteps)}</List.Item>}
        </List>
        {texts.map((text) => (
          <Text key={text} size="sm" mt={4}>
            {text}
          </Text>
        ))}
      </Alert>
      {warnings.length > 0 && (
        <Alert color="orange" variant="light" p="xs" icon={<WarningIcon />} role="status">
          {warnings.map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
}

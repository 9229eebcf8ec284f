import { leaderApi, ProblemError } from '@lcs/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { useComputeGrowth } from '../services/growth-queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { growthWords } from '../words/growth.ts';

/** The curves of hundreds of units take the leader minutes. */
const taskTimeoutMs = 1_800_000;

interface ComputeCurvesProps {
  readonly experiment: string;
  readonly onComputed: () => void;
}

function ComputeCurves({ experiment, onComputed }: ComputeCurvesProps) {
  const { clock } = useServices();
  const may = useMay();
  const start = useComputeGrowth(experiment);
  const mutationKey = ['compute-growth-curves', experiment];
  const compute = useMutation({
    mutationKey,
    mutationFn: async () => {
      const task = await followTask(clock, await start.mutateAsync(), taskTimeoutMs);
      if (task.status === 'failed') throw ProblemError.ofTask(task);
    },
    onSuccess: onComputed,
  });
  // The curves of another experiment, once computed, draw this button anew.
  const isComputing = useIsMutating({ mutationKey }) > 0;
  return (
    <>
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          loading={isComputing}
          onClick={() => compute.mutate()}
          {...may(leaderApi.computeGrowthSummary)}
        >
          {growthWords.computeCurves}
        </Button>
        <Text size="sm">{experiment}</Text>
      </Group>
      {compute.error && <ProblemAlert error={compute.error} />}
    </>
  );
}

/** More curves are missing than a request computes: the way to compute those of each experiment. */
export const MissingCurves = ({
  experiments,
  onComputed,
}: {
  readonly experiments: readonly string[];
  readonly onComputed: () => void;
}) => (
  <Stack gap="xs">
    <Text size="sm">{growthWords.curvesNotComputed}</Text>
    {experiments.map((experiment) => (
      <ComputeCurves key={experiment} experiment={experiment} onComputed={onComputed} />
    ))}
  </Stack>
);

import { type AlarmRule, leaderApi } from '@lcs/contract';
import { Badge, Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { ruleValueText, severityLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';
import { RuleForm } from './rule-form.tsx';
import { useAlarmRules } from './use-alarms.ts';

function Rule({ rule }: { readonly rule: AlarmRule }) {
  const { overrides } = rule;
  const [isOpen, setIsOpen] = useState(false);
  const may = useMay();
  const nameOf = useUnitNames(overrides.some(({ reactor_unit }) => reactor_unit !== null));
  const { title, description, severity, is_enabled, is_default, parameters } = rule;
  return (
    <li className={styles.alarm} data-rule={rule.rule} {...(is_enabled ? { 'data-severity': severity } : {})}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <div className={styles.actions}>
          {!is_default && <Badge variant="light">{alarmsWords.changed}</Badge>}
          <Text size="sm">{is_enabled ? severityLabels[severity] : commonWords.off}</Text>
          <Button
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            aria-label={alarmsWords.changeNamed(title)}
            onClick={() => setIsOpen(!isOpen)}
            {...may(leaderApi.updateAlarmRule)}
          >
            {commonWords.change}
          </Button>
        </div>
      </div>
      <p className={styles.message}>{description}</p>
      {isOpen ? (
        <RuleForm key={rule.version} rule={rule} onDone={() => setIsOpen(false)} />
      ) : (
        <div className={styles.facts}>
          {parameters.map((parameter) => (
            <span key={parameter.name}>{ruleValueText(rule.rule, parameter)}</span>
          ))}
        </div>
      )}
      {overrides.map(({ reactor_unit, experiment, parameters: own, is_enabled: isOn, severity: how }) => (
        <div key={`${reactor_unit}/${experiment}`} className={styles.facts}>
          <strong>
            {reactor_unit === null
              ? alarmsWords.experimentNamed(experiment)
              : commonWords.unitNamed(nameOf(reactor_unit))}
            :
          </strong>
          {isOn !== null && <span>{isOn ? alarmsWords.on : alarmsWords.off}</span>}
          {how !== null && <span>{severityLabels[how]}</span>}
          {parameters
            .filter(({ name }) => name in own)
            .map((parameter) => (
              <span key={parameter.name}>
                {ruleValueText(null, { ...parameter, value: own[parameter.name] ?? null })}
              </span>
            ))}
        </div>
      ))}
    </li>
  );
}

/** The rules that raise alarms. */
export function AlarmRules() {
  const rules = useAlarmRules();
  return (
    <section aria-label={alarmsWords.rules}>
      {rules.error && !rules.data && <ProblemAlert error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.isPending && !rules.error && <Skeleton height={200} role="status" aria-label={alarmsWords.loadingRules} />}
      <ul className={styles.list} aria-label={alarmsWords.rules}>
        {rules.data
          ?.filter(({ rule }) => rule !== 'drill')
          .map((rule) => (
            <Rule key={rule.rule} rule={rule} />
          ))}
      </ul>
    </section>
  );
}

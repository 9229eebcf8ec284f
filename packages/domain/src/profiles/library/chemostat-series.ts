export const chemostatSeries = `# Chemostat series: three dilution rates one after the other, each held for five exchanges of the whole culture.
#
# Adapt:    rate_1 to rate_3 (1/h), below the maximum growth rate of the culture, or it is washed out.
#           culture_ml: the volume at the end of the waste tube. exchange_ml: volume of one exchange.
#           The times of the steps are 5 / rate after each other: change them with the rates.
# Needs:    calibrated media and waste pumps. Medium and free waste volume: 15 x culture_ml, here 210 mL, per unit.
# Measures: OD, growth rate (equal to the dilution rate in the steady state), temperature, pumped volumes.
# Safe:     each exchange removes more than it adds, down to the end of the waste tube.
experiment_profile_name: chemostat series
version: "1.0"
metadata:
  author: Leader Control Service
  description: Three dilution rates one after the other, each until the steady state.
inputs: {temperature_c: 30, stir_rpm: 500, culture_ml: 14, exchange_ml: 0.5, rate_1: 0.1, rate_2: 0.2, rate_3: 0.3}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    dosing_automation:
      # 'duration': minutes between two exchanges
      actions:
        - type: start
          t: 12h
          options:
            automation_name: chemostat
            exchange_volume_ml: "\${{ exchange_ml }}"
            duration: "\${{ 60 * exchange_ml / (culture_ml * rate_1) }}"
        - {type: update, t: 62h, options: {duration: "\${{ 60 * exchange_ml / (culture_ml * rate_2) }}"}}
        - {type: log, t: 62h, options: {message: "\${{ unit() }}: dilution rate \${{ rate_2 }} per hour."}}
        - {type: update, t: 87h, options: {duration: "\${{ 60 * exchange_ml / (culture_ml * rate_3) }}"}}
        - {type: log, t: 87h, options: {message: "\${{ unit() }}: dilution rate \${{ rate_3 }} per hour."}}
        - {type: stop, t: 104h}
`;

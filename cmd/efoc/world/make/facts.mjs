// Writes entities.tsv, relations.tsv, train.tsv, heldout.tsv and valid.tsv into the folder given as argument.
// The same packages give the same bytes: everything is sorted by code point, and chance is a hash of the fact.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import moment from 'moment-timezone';
import { countries as list } from 'countries-list';
import { neighbors } from 'topojson-client';
import * as hand from './hand.mjs';

const out = process.argv[2] ?? '.';
const load = createRequire(import.meta.url);
const supplemental = name => load(`cldr-core/supplemental/${name}.json`).supplemental[name];
const english = (pkg, file) => load(`cldr-${pkg}-full/main/en/${file}.json`).main.en;
const display = english('localenames', 'localeDisplayNames').localeDisplayNames.types;
const names = kind => english('localenames', kind).localeDisplayNames[kind];
const cmp = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const plain = s => s.replace(/[’ʻʼ]/g, "'").replace(/[–—]/g, '-');

// Entities: a name belongs to one thing only, so a later kind says what it is, as in "Monaco (city)".
// The order of kinds is the order of ids.
const kinds = ['country', 'continent', 'region', 'organization', 'city', 'language', 'family', 'script', 'currency',
  'zone', 'clock', 'offset', 'calling code', 'day', 'hour cycle', 'side', 'calendar', 'gender', 'case', 'mark', 'direction'];
const kindOf = new Map();
const codeOf = new Map();
function entity(kind, name, code = name) {
  name = plain(name);
  if ((kindOf.get(name) ?? kind) !== kind) name = `${name} (${kind})`;
  if ((codeOf.get(name) ?? code) !== code) throw new Error(`${name} is ${codeOf.get(name)} and ${code}`);
  kindOf.set(name, kind);
  codeOf.set(name, code);
  return name;
}

const facts = new Map(); // "head\trelation\ttail" -> the same
const relations = [];
function fact(head, relation, tail) {
  if (!relations.includes(relation)) relations.push(relation);
  facts.set(`${head}\t${relation}\t${tail}`, [head, relation, tail]);
}

// Countries: ISO 3166-1 and Kosovo, where people live.
const territoryNames = names('territories');
const info = supplemental('territoryInfo');
const numeric = supplemental('codeMappings');
const codes = Object.keys(list).filter(c => !hand.uninhabited.has(c) && (numeric[c]?._numeric || c === 'XK')).sort(cmp);
const country = {};
for (const c of codes) country[c] = entity('country', territoryNames[hand.nameForm[c] ?? c], c);
const byNumber = {};
for (const c of codes) if (numeric[c]?._numeric) byNumber[numeric[c]._numeric] = c;

// Borders: countries that share an arc of the map.
const atlas = load('world-atlas/countries-10m.json').objects.countries.geometries;
const shape = atlas.map(g => (g.id === undefined ? hand.areas[g.properties.name] : byNumber[g.id]));
const pairs = [...hand.shortBorders];
neighbors(atlas).forEach((near, i) => near.forEach(j => pairs.push([shape[i], shape[j]])));
for (const [a, b] of pairs) {
  if (!a || !b || a === b) continue;
  fact(country[a], 'borders', country[b]);
  fact(country[b], 'borders', country[a]);
}

// Continents, regions, organizations, and states with their territories.
const containment = supplemental('territoryContainment');
const continentNames = { AF: '002', AS: '142', EU: '150', NA: '003', OC: '009', SA: '005' };
const continent = {};
for (const [k, m49] of Object.entries(continentNames)) continent[k] = entity('continent', territoryNames[m49]);
const region = m49 => {
  const k = Object.keys(continentNames).find(k => continentNames[k] === m49);
  return k ? continent[k] : entity('region', territoryNames[m49]);
};
for (const c of codes) for (const k of list[c].continents ?? [list[c].continent]) fact(country[c], 'in_continent', continent[k]);
for (const [key, { _contains }] of Object.entries(containment)) {
  const [group, status] = key.split('-status-');
  if (!/^\d+$/.test(group) || group === '001' || status === 'deprecated') continue;
  for (const c of _contains) {
    if (/^\d+$/.test(c)) fact(region(c), 'subregion_of', region(group));
    else if (country[c]) fact(country[c], 'in_subregion', region(group));
  }
}
const tender = c => Object.values(supplemental('currencyData').region[c] ?? []).map(o => {
  const [code, t] = Object.entries(o)[0];
  return { code, from: t._from, to: t._to, legal: t._tender !== 'false' };
}).filter(t => t.legal && t.from && !hand.notTender.has(`${c} ${t.code}`));
const members = {
  UN: containment.UN._contains, EU: containment.EU._contains,
  EZ: containment.EU._contains.filter(c => tender(c).some(t => t.code === 'EUR' && !t.to)),
};
for (const [o, cs] of Object.entries(members)) for (const c of cs) fact(country[c], 'member_of', entity('organization', territoryNames[o]));
for (const [state, cs] of Object.entries(hand.territories)) for (const c of cs) fact(country[c], 'territory_of', country[state]);

// Capitals. A city that shares its name with another names its country.
const capital = {};
for (const c of codes) {
  const name = c in hand.capitals ? hand.capitals[c] : list[c].capital;
  if (name) capital[c] = plain(name);
}
const cityCount = {};
for (const name of Object.values(capital)) cityCount[name] = (cityCount[name] ?? 0) + 1;
const city = {};
for (const [c, name] of Object.entries(capital)) {
  city[c] = entity('city', cityCount[name] > 1 ? `${name} (${country[c]})` : name, c);
  fact(country[c], 'capital', city[c]);
}

// Languages, by the share of people who use them and by status.
const languageNames = names('languages');
const registry = {};
const collections = new Set();
for (const r of load('language-subtag-registry/data/json/registry.json')) {
  if (r.Type !== 'language') continue;
  registry[r.Subtag] = r.Description[0];
  if (r.Scope === 'collection') collections.add(r.Subtag);
}
const language = {};
const tongue = l => (language[l] ??= entity('language', languageNames[l] ?? registry[l], l));
const standing = { official: 'official_language', de_facto_official: 'official_language', official_regional: 'regional_language' };
const rank = ['official_language', 'regional_language', 'also_spoken'];
for (const c of codes) {
  const best = {};
  for (const [tag, use] of Object.entries(info[c]?.languagePopulation ?? {})) {
    const l = tag.split('_')[0];
    if (collections.has(l)) continue;
    const fixed = hand.standing[`${c} ${l}`];
    const r = fixed !== undefined ? fixed : standing[use._officialStatus] ?? (use._populationPercent >= 1 ? 'also_spoken' : null);
    if (r && !(rank.indexOf(best[l]) >= 0 && rank.indexOf(best[l]) <= rank.indexOf(r))) best[l] = r;
  }
  for (const [l, r] of Object.entries(best)) fact(country[c], r, tongue(l));
}

// Families.
const parents = {};
for (const [group, tags] of Object.entries(supplemental('languageGroups'))) {
  if (!hand.noFamily.has(group)) for (const l of tags.split(' ')) (parents[l] ??= []).push(group);
}
const family = g => entity('family', registry[g].replace(/ \(family\)$/, ' languages'), g);
const climb = (g, done) => {
  if (done.has(g)) return;
  done.add(g);
  for (const p of parents[g] ?? []) { fact(family(g), 'subfamily_of', family(p)); climb(p, done); }
};
const climbed = new Set();
for (const l of Object.keys(language)) {
  for (const g of hand.families[l] ? [hand.families[l]] : parents[l] ?? []) { fact(language[l], 'in_family', family(g)); climb(g, climbed); }
}

// Scripts. Compound scripts are taken apart, and simplified and traditional Han are Han.
const written = supplemental('languageData');
const likely = supplemental('likelySubtags');
const { compound, subset } = supplemental('scriptData').scriptVariants;
const scriptNames = names('scripts');
const bases = s => (compound[s] ?? subset[s])?._base.flatMap(bases) ?? [s];
const script = s => entity('script', /script|Syllabics/.test(scriptNames[s]) ? scriptNames[s] : `${scriptNames[s]} script`, s);
const meta = load('cldr-core/scriptMetadata.json').scriptMetadata;
const used = new Set();
for (const l of Object.keys(language)) {
  const tag = likely[l]?.split('-')[1];
  for (const s of (written[l]?._scripts ?? (tag ? [tag] : [])).flatMap(bases)) {
    fact(language[l], 'script', script(s));
    used.add(s);
  }
}
for (const s of used) {
  const to = { YES: 'right to left', NO: 'left to right' }[meta[s]?.rtl];
  if (to) fact(script(s), 'direction', entity('direction', to));
}

// Grammar and the decimal mark, of languages that CLDR covers well.
const grammar = load('cldr-core/supplemental/grammaticalFeatures.json').supplemental.grammaticalData;
for (const [key, f] of Object.entries(grammar)) {
  const l = key.replace('-targets-nominal', '');
  if (!language[l]) continue;
  for (const g of f.grammaticalGender ?? []) fact(language[l], 'grammatical_gender', entity('gender', `${g} gender`));
  for (const g of f.grammaticalCase ?? []) if (g !== 'locativecopulative') fact(language[l], 'grammatical_case', entity('case', `${g} case`));
}
const coverage = load('cldr-core/coverageLevels.json').effectiveCoverageLevels;
const marks = { ',': 'decimal comma', '.': 'decimal point', '٫': 'Arabic decimal separator' };
for (const l of Object.keys(language).sort(cmp)) {
  if (!['modern', 'moderate'].includes(coverage[l])) continue;
  const n = load(`cldr-numbers-full/main/${l}/numbers.json`).main[l].numbers;
  const system = n.defaultNumberingSystem;
  fact(language[l], 'decimal_mark', entity('mark', marks[n[`symbols-numberSystem-${system}`].decimal]));
}

// Currencies: legal tender now and before, and what followed a currency that is no longer tender anywhere.
const currencyNames = english('numbers', 'currencies').numbers.currencies;
const currency = code => entity('currency', currencyNames[code].displayName, code);
const current = new Set(codes.flatMap(c => tender(c).filter(t => !t.to).map(t => t.code)));
const days = d => Date.parse(d) / 864e5;
for (const c of codes) {
  const all = tender(c);
  const now = all.filter(t => !t.to).map(t => t.code);
  for (const t of all) {
    if (!t.to) { fact(country[c], 'currency', currency(t.code)); continue; }
    if (!now.includes(t.code)) fact(country[c], 'former_currency', currency(t.code));
    if (current.has(t.code)) continue;
    const next = all.filter(u => u.code !== t.code && u.from > t.from && days(u.from) <= days(t.to) + 60);
    const last = next.map(u => u.from).sort(cmp).at(-1);
    for (const u of next) if (u.from === last) fact(currency(t.code), 'replaced_by', currency(u.code));
  }
}

// Time zones: where they lie, the clock they observe, and their offsets in winter and summer.
const tz = load('moment-timezone/data/meta/latest.json').zones;
const links = {};
for (const l of load('moment-timezone/data/packed/latest.json').links) {
  const [a, b] = l.split('|');
  (links[a] ??= []).push(b);
  (links[b] ??= []).push(a);
}
const leaf = (tree, path) => path.split('/').reduce((t, k) => t?.[k], tree);
const periods = supplemental('metaZones').metazoneInfo.timezone;
const zoneNames = english('dates', 'timeZoneNames').dates.timeZoneNames;
const fold = s => s.normalize('NFD').replace(/[^A-Za-z]/g, '').toLowerCase();
const offsetName = minutes => {
  const m = Math.abs(minutes);
  const two = n => String(n).padStart(2, '0');
  return entity('offset', `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(m / 60))}:${two(m % 60)}`);
};
const clocks = [];
for (const name of Object.keys(tz).sort(cmp)) {
  const c = tz[name].countries[0];
  if (!country[c] || hand.disputedZones.has(name)) continue;
  const zone = entity('zone', name);
  fact(country[c], 'time_zone', zone);
  const [jan, jul] = ['01', '07'].map(m => moment.tz(`2026-${m}-01T12:00:00Z`, name).utcOffset());
  fact(zone, 'utc_offset', offsetName(Math.min(jan, jul)));
  if (jan !== jul) fact(zone, 'summer_offset', offsetName(Math.max(jan, jul)));
  const known = [name, ...(links[name] ?? [])].find(z => Array.isArray(leaf(periods, z)));
  const period = known && leaf(periods, known).at(-1).usesMetazone;
  const long = period && !period._to && zoneNames.metazone[period._mzone]?.long;
  if (long) clocks.push([zone, long.generic ?? long.standard, Math.min(jan, jul)]);
  if (capital[c]) {
    const spellings = [name.split('/').at(-1), leaf(zoneNames.zone, known ?? name)?.exemplarCity ?? ''];
    if (spellings.some(s => fold(s) === fold(capital[c]))) fact(zone, 'named_after', city[c]);
  }
}
// A zone whose offset is not that of most zones on its clock has left it since: no fact.
const votes = {};
for (const [, clock, o] of clocks) {
  votes[clock] ??= {};
  votes[clock][o] = (votes[clock][o] ?? 0) + 1;
}
for (const [zone, clock, o] of clocks) {
  if (votes[clock][o] === Math.max(...Object.values(votes[clock]))) fact(zone, 'observes', entity('clock', clock));
}

// Telephone, week, clock face, traffic and calendars.
for (const c of codes) {
  for (const n of hand.callingCodes[c] ?? list[c].phone.map(String)) fact(country[c], 'calling_code', entity('calling code', /^1\d{3}$/.test(n) ? '+1' : `+${n}`));
}
const weekday = { sun: 'Sunday', mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday', sat: 'Saturday' };
for (const [c, d] of Object.entries(supplemental('weekData').firstDay)) if (country[c]) fact(country[c], 'week_starts_on', entity('day', weekday[d]));
for (const [c, t] of Object.entries(supplemental('timeData'))) {
  if (country[c]) fact(country[c], 'hour_cycle', entity('hour cycle', t._preferred === 'H' ? '24-hour clock' : '12-hour clock'));
}
for (const c of codes) fact(country[c], 'drives_on', entity('side', hand.drivesLeft.has(c) ? 'left side' : 'right side'));
for (const [c, cs] of Object.entries(supplemental('calendarPreferenceData'))) {
  for (const k of cs) if (country[c] && k !== 'gregorian') fact(country[c], 'also_uses_calendar', entity('calendar', display.calendar[k.replace(/^islamic-.*/, 'islamic')]));
}

// Hold back a tenth: in the order of a hash, what leaves a fact of everything it mentions. Both directions of a border go together.
const key = f => (f[1] === 'borders' && f[0] > f[2] ? [f[2], f[1], f[0]] : f).join('\t');
const groups = new Map();
for (const f of facts.values()) groups.set(key(f), [...(groups.get(key(f)) ?? []), f]);
const hash = s => createHash('sha256').update(`efoc world 1\t${s}`).digest('hex');
const degree = {};
for (const f of facts.values()) for (const e of new Set(f)) degree[e] = (degree[e] ?? 0) + 1;
const held = new Set();
for (const [, k] of [...groups.keys()].map(k => [hash(k), k]).sort((a, b) => cmp(a[0], b[0]))) {
  const fs = groups.get(k);
  const mentioned = [...new Set(fs.flat())];
  if (held.size + fs.length > facts.size / 10 || mentioned.some(e => degree[e] <= fs.length)) continue;
  for (const f of fs) { held.add(f); for (const e of new Set(f)) degree[e]--; }
}

const triples = fs => fs.map(f => f.join('\t')).sort(cmp);
const numbered = ns => ns.map((n, i) => `${i}\t${n}`);
const write = (file, lines) => writeFileSync(join(out, file), lines.map(l => `${l}\n`).join(''));
const all = [...facts.values()];
const mentioned = new Set(all.flatMap(([h, , t]) => [h, t]));
const ordered = [...mentioned].sort((a, b) => kinds.indexOf(kindOf.get(a)) - kinds.indexOf(kindOf.get(b)) || cmp(a, b));
write('entities.tsv', numbered(ordered));
write('relations.tsv', numbered(relations));
write('train.tsv', triples(all.filter(f => !held.has(f))));
write('heldout.tsv', triples(all.filter(f => held.has(f))));
// Half of what is held back is for calibration, chosen by another hash.
const even = f => parseInt(createHash('sha256').update(`efoc world valid\t${key(f)}`).digest('hex')[0], 16) < 8;
write('valid.tsv', triples(all.filter(f => held.has(f) && even(f))));

const count = (xs, of) => Object.entries(xs.reduce((n, x) => ({ ...n, [of(x)]: (n[of(x)] ?? 0) + 1 }), {})).map(([k, n]) => `${k} ${n}`).join(', ');
console.log(`entities ${ordered.length}: ${count(ordered, e => kindOf.get(e))}`);
console.log(`facts ${all.length}, held back ${held.size}: ${count(all, f => f[1])}`);

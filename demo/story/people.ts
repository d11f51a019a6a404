// The people of the demo: who works where, and as what. All are invented; a name that somebody bears is one by chance.

/** By the key of the company: first name, last name and job title, the ones that decide first. */
const roster: Readonly<Record<string, string>> = {
  brightmoor: `
    Eleanor|Whitcombe|Operations Director
    Samir|Ghosh|Head of Supply Chain
    Bethan|Pryce|Finance Manager
    Callum|Ferriday|IT Manager
    Olu|Adebanjo|Production Planner`,
  kestrelvane: `
    Marijke|van Oosten|Chief Operating Officer
    Joost|Terlouw|Warehouse Manager
    Fatima|El Khattabi|Head of Procurement
    Ruben|de Graaff|Data Analyst
    Anneloes|Brinkhuis|Key Account Manager
    Wouter|Stam|Fleet Planner`,
  solvanghavbruk: `
    Ingrid|Solheimsvik|Managing Director
    Eirik|Tangerås|Logistics Lead
    Signe|Mjelde|Quality Manager
    Håvard|Nybakken|Controller`,
  tessaro: `
    Beatrice|Tessaro|Amministratrice delegata
    Corrado|Valmori|Responsabile logistica
    Ginevra|Sangalli|Sales Manager
    Ettore|Bassini|Responsabile IT`,
  quintalverde: `
    Matilde|Sequeira|Founder
    Rui|Falcão Antunes|Operations Manager
    Inês|Carvalhal|Marketing Manager
    Duarte|Penedo|Buyer`,
  wierzbameble: `
    Agnieszka|Wierzbowska|Prezes zarządu
    Tomasz|Gołębiak|Production Director
    Zuzanna|Krępa|Purchasing Manager
    Marek|Drążek|Head of IT
    Oliwia|Sobczyńska|Customer Service Lead`,
  lindenkamp: `
    Friederike|Lindenkamp|Geschäftsführerin
    Jörn|Hasselbring|Leiter Einkauf
    Ayşe|Demirkan|Produktionsplanung
    Uwe|Kortmann|IT-Leiter
    Svenja|Pohlmeier|Controlling`,
  maisonarvelle: `
    Clémence|Arvelle|Directrice générale
    Bastien|Roquefeuille|Responsable des achats
    Aïcha|Benhaddou|Cheffe de projet
    Théo|Marchaland|Comptable`,
  nakatori: `
    Haruka|Nakatori|Executive Officer
    Kenji|Morisawa|Plant Manager
    Yui|Fujibayashi|Purchasing Lead
    Daichi|Okamura|Systems Engineer
    Sachiko|Uenoyama|Quality Engineer`,
  sundervale: `
    Anjali|Deshkar|Chief Executive
    Rohan|Kulthe|Head of Projects
    Meera|Iyengarkar|Procurement Manager
    Farhan|Qadri|Site Operations Lead
    Tanvi|Bhosekar|Finance Controller`,
  harbourline: `
    Gordon|MacAskillen|Vice President Operations
    Chloé|Thibodeaux|Customs Specialist
    Noor|Haddadi|Director of Technology
    Wes|Pelletreau|Terminal Manager
    Janelle|Okpara|Accounts Payable Lead`,
  cobrealto: `
    Rodrigo|Huenchullán|Gerente de operaciones
    Catalina|Ibarrola|Jefa de abastecimiento
    Matías|Peñafiel|Ingeniero de mantención
    Antonia|Zúñiga Rey|Contralora
    Sebastián|Loyola|Planner`,
  baobabledger: `
    Wanjiru|Kamaunda|Chief Executive
    Otieno|Mboyala|Head of Engineering
    Amina|Salimani|Operations Lead
    Kiptoo|Cheruyot|Support Manager`,
  redgumhealth: `
    Fiona|Trevallyn|Director of Services
    Lachlan|Birdwood|Supply Manager
    Priya|Raghunathan|Clinical Systems Lead
    Mai|Phamvu|Project Officer
    Bruce|Okeden|Finance Director
    Jarrah|Wilcannia|Regional Coordinator`,
  prairiefinch: `
    Darlene|Hoekstran|Chief Operating Officer
    Marcus|Tillerson-Boyd|Vendor Manager
    Lupe|Arredondo|Compliance Officer
    Kyle|Vandermolen|Systems Administrator`,
  tideglass: `
    June|Castellanos-Wu|Executive Producer
    Devon|Ashgrove|Studio Manager
    Nadia|Petrosyan|Head of Pipeline`,
  vireolearning: `
    Teresa|Villagrán|President
    Andre|Fontenel|Director of Content
    Hana|Suzukawa|Product Manager
    Cole|Rademacher|Sales Operations
    Imani|Westbrooke|Customer Success Lead`,
  miradalhoteles: `
    Lucía|Montalbán|Directora de compras
    Álvaro|Riquelme Soto|Director de operaciones
    Marta|Echevarri|Jefa de sistemas
    Íñigo|Zabalegui|Revenue Manager
    Carmen|Olivella|Administración`,
  amberfield: `
    Aoife|Kilbracken|Head of Networks
    Declan|Moynihane|Stores Manager
    Siobhán|Tierneyan|Programme Manager
    Patryk|Zielonka|GIS Analyst
    Gráinne|Coolahan|Procurement Lead`,
  saebyeokbio: `
    Seo-yeon|Kangwol|Chief Scientific Officer
    Min-jun|Baekhyeon|Operations Manager
    Ji-woo|Namgoong|Purchasing
    Hye-jin|Seomun|Research Coordinator`,
  lagoaclara: `
    Thaís|Albuquerque Lins|Diretora de operações
    Caio|Venturelli|Gerente de suprimentos
    Luana|Praxedes|Engenheira de campo
    Henrique|Sant'Elmo|Analista de TI
    Beatriz|Nogueirol|Controladoria`,
  norrglim: `
    Linnéa|Åkerblad|Vd
    Isak|Nordvall|Utvecklingschef
    Saga|Hedenbrink|Produktägare
    Tove|Lilliehorn|Försäljningschef`,
  zeytindal: `
    Elif|Karaosman|Genel müdür
    Burak|Şahinalp|Lojistik müdürü
    Defne|Özgüner|İhracat sorumlusu
    Cem|Yıldıray|Bilgi işlem müdürü
    Gülşen|Akdereli|Muhasebe müdürü`,
  kauriport: `
    Hemi|Tawharanui|General Manager
    Rachel|Strathmoor|Supply Chain Manager
    Sione|Fakatava|Plant Supervisor
    Georgia|Linwood|Farm Liaison`,
  mtkvarimaps: `
    Nino|Gelovanidze|Co-founder
    Levan|Tsereleli|Head of Surveys
    Tamar|Abashvili|Data Engineer`,
  thistledown: `
    Morag|Dalrympleson|Chief Executive
    Alasdair|Kinnaird|Claims Director
    Zainab|Chowdhary|Head of Change
    Hamish|Lockerby|Infrastructure Manager
    Catriona|Struan|Underwriting Manager
    Rory|Balfouray|Data Protection Officer`,
};

export interface Person {
  /** The part of the address before the domain; with the company's key the person's name in the story. */
  readonly mailbox: string;
  readonly companyKey: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly jobTitle: string;
  /** Whether the person has a say in what is bought. */
  readonly decides: boolean;
}

/** Letters whose plain form is no part of their Unicode decomposition. */
const plainLetters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae' };

export const people: readonly Person[] = Object.entries(roster).flatMap(([companyKey, text]) =>
  text
    .trim()
    .split('\n')
    .map((line, index) => {
      const [firstName = '', lastName = '', jobTitle = ''] = line.trim().split('|');
      const mailbox = `${plain(firstName)}.${plain(lastName)}`;
      return { mailbox, companyKey, firstName, lastName, jobTitle, decides: index < 3 };
    }),
);

/** A name as it stands in an address: small letters of the plain alphabet. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[øłıßæ]/g, (letter) => plainLetters[letter] ?? '')
    .replace(/[^a-z]/g, '');
}

// The people of the demo: who works where, and as what. All are invented; a resemblance to a real name is chance.

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly jobTitle: string;
}

/** By the key of the company. The first three of each decide what is bought. */
export const people: Readonly<Record<string, readonly Person[]>> = {
  brightmoor: [
    { firstName: 'Eleanor', lastName: 'Whitcombe', jobTitle: 'Operations Director' },
    { firstName: 'Samir', lastName: 'Ghosh', jobTitle: 'Head of Supply Chain' },
    { firstName: 'Bethan', lastName: 'Pryce', jobTitle: 'Finance Manager' },
    { firstName: 'Callum', lastName: 'Ferriday', jobTitle: 'IT Manager' },
    { firstName: 'Olu', lastName: 'Adebanjo', jobTitle: 'Production Planner' },
  ],
  kestrelvane: [
    { firstName: 'Marijke', lastName: 'van Oosten', jobTitle: 'Chief Operating Officer' },
    { firstName: 'Joost', lastName: 'Terlouw', jobTitle: 'Warehouse Manager' },
    { firstName: 'Fatima', lastName: 'El Khattabi', jobTitle: 'Head of Procurement' },
    { firstName: 'Ruben', lastName: 'de Graaff', jobTitle: 'Data Analyst' },
    { firstName: 'Anneloes', lastName: 'Brinkhuis', jobTitle: 'Key Account Manager' },
    { firstName: 'Wouter', lastName: 'Stam', jobTitle: 'Fleet Planner' },
  ],
  solvanghavbruk: [
    { firstName: 'Ingrid', lastName: 'Solheimsvik', jobTitle: 'Managing Director' },
    { firstName: 'Eirik', lastName: 'Tangerås', jobTitle: 'Logistics Lead' },
    { firstName: 'Signe', lastName: 'Mjelde', jobTitle: 'Quality Manager' },
    { firstName: 'Håvard', lastName: 'Nybakken', jobTitle: 'Controller' },
  ],
  tessaro: [
    { firstName: 'Beatrice', lastName: 'Tessaro', jobTitle: 'Amministratrice delegata' },
    { firstName: 'Corrado', lastName: 'Valmori', jobTitle: 'Responsabile logistica' },
    { firstName: 'Ginevra', lastName: 'Sangalli', jobTitle: 'Sales Manager' },
    { firstName: 'Ettore', lastName: 'Bassini', jobTitle: 'Responsabile IT' },
  ],
  quintalverde: [
    { firstName: 'Matilde', lastName: 'Sequeira', jobTitle: 'Founder' },
    { firstName: 'Rui', lastName: 'Falcão Antunes', jobTitle: 'Operations Manager' },
    { firstName: 'Inês', lastName: 'Carvalhal', jobTitle: 'Marketing Manager' },
    { firstName: 'Duarte', lastName: 'Penedo', jobTitle: 'Buyer' },
  ],
  wierzbameble: [
    { firstName: 'Agnieszka', lastName: 'Wierzbowska', jobTitle: 'Prezes zarządu' },
    { firstName: 'Tomasz', lastName: 'Gołębiak', jobTitle: 'Production Director' },
    { firstName: 'Zuzanna', lastName: 'Krępa', jobTitle: 'Purchasing Manager' },
    { firstName: 'Marek', lastName: 'Drążek', jobTitle: 'Head of IT' },
    { firstName: 'Oliwia', lastName: 'Sobczyńska', jobTitle: 'Customer Service Lead' },
  ],
  lindenkamp: [
    { firstName: 'Friederike', lastName: 'Lindenkamp', jobTitle: 'Geschäftsführerin' },
    { firstName: 'Jörn', lastName: 'Hasselbring', jobTitle: 'Leiter Einkauf' },
    { firstName: 'Ayşe', lastName: 'Demirkan', jobTitle: 'Produktionsplanung' },
    { firstName: 'Uwe', lastName: 'Kortmann', jobTitle: 'IT-Leiter' },
    { firstName: 'Svenja', lastName: 'Pohlmeier', jobTitle: 'Controlling' },
  ],
  maisonarvelle: [
    { firstName: 'Clémence', lastName: 'Arvelle', jobTitle: 'Directrice générale' },
    { firstName: 'Bastien', lastName: 'Roquefeuille', jobTitle: 'Responsable des achats' },
    { firstName: 'Aïcha', lastName: 'Benhaddou', jobTitle: 'Cheffe de projet' },
    { firstName: 'Théo', lastName: 'Marchaland', jobTitle: 'Comptable' },
  ],
  nakatori: [
    { firstName: 'Haruka', lastName: 'Nakatori', jobTitle: 'Executive Officer' },
    { firstName: 'Kenji', lastName: 'Morisawa', jobTitle: 'Plant Manager' },
    { firstName: 'Yui', lastName: 'Fujibayashi', jobTitle: 'Purchasing Lead' },
    { firstName: 'Daichi', lastName: 'Okamura', jobTitle: 'Systems Engineer' },
    { firstName: 'Sachiko', lastName: 'Uenoyama', jobTitle: 'Quality Engineer' },
  ],
  sundervale: [
    { firstName: 'Anjali', lastName: 'Deshkar', jobTitle: 'Chief Executive' },
    { firstName: 'Rohan', lastName: 'Kulthe', jobTitle: 'Head of Projects' },
    { firstName: 'Meera', lastName: 'Iyengarkar', jobTitle: 'Procurement Manager' },
    { firstName: 'Farhan', lastName: 'Qadri', jobTitle: 'Site Operations Lead' },
    { firstName: 'Tanvi', lastName: 'Bhosekar', jobTitle: 'Finance Controller' },
  ],
  harbourline: [
    { firstName: 'Gordon', lastName: 'MacAskillen', jobTitle: 'Vice President Operations' },
    { firstName: 'Chloé', lastName: 'Thibodeaux', jobTitle: 'Customs Specialist' },
    { firstName: 'Noor', lastName: 'Haddadi', jobTitle: 'Director of Technology' },
    { firstName: 'Wes', lastName: 'Pelletreau', jobTitle: 'Terminal Manager' },
    { firstName: 'Janelle', lastName: 'Okpara', jobTitle: 'Accounts Payable Lead' },
  ],
  cobrealto: [
    { firstName: 'Rodrigo', lastName: 'Huenchullán', jobTitle: 'Gerente de operaciones' },
    { firstName: 'Catalina', lastName: 'Ibarrola', jobTitle: 'Jefa de abastecimiento' },
    { firstName: 'Matías', lastName: 'Peñafiel', jobTitle: 'Ingeniero de mantención' },
    { firstName: 'Antonia', lastName: 'Zúñiga Rey', jobTitle: 'Contralora' },
    { firstName: 'Sebastián', lastName: 'Loyola', jobTitle: 'Planner' },
  ],
  baobabledger: [
    { firstName: 'Wanjiru', lastName: 'Kamaunda', jobTitle: 'Chief Executive' },
    { firstName: 'Otieno', lastName: 'Mboyala', jobTitle: 'Head of Engineering' },
    { firstName: 'Amina', lastName: 'Salimani', jobTitle: 'Operations Lead' },
    { firstName: 'Kiptoo', lastName: 'Cheruyot', jobTitle: 'Support Manager' },
  ],
  redgumhealth: [
    { firstName: 'Fiona', lastName: 'Trevallyn', jobTitle: 'Director of Services' },
    { firstName: 'Lachlan', lastName: 'Birdwood', jobTitle: 'Supply Manager' },
    { firstName: 'Priya', lastName: 'Raghunathan', jobTitle: 'Clinical Systems Lead' },
    { firstName: 'Mai', lastName: 'Phamvu', jobTitle: 'Project Officer' },
    { firstName: 'Bruce', lastName: 'Okeden', jobTitle: 'Finance Director' },
    { firstName: 'Jarrah', lastName: 'Wilcannia', jobTitle: 'Regional Coordinator' },
  ],
  prairiefinch: [
    { firstName: 'Darlene', lastName: 'Hoekstran', jobTitle: 'Chief Operating Officer' },
    { firstName: 'Marcus', lastName: 'Tillerson-Boyd', jobTitle: 'Vendor Manager' },
    { firstName: 'Lupe', lastName: 'Arredondo', jobTitle: 'Compliance Officer' },
    { firstName: 'Kyle', lastName: 'Vandermolen', jobTitle: 'Systems Administrator' },
  ],
  tideglass: [
    { firstName: 'June', lastName: 'Castellanos-Wu', jobTitle: 'Executive Producer' },
    { firstName: 'Devon', lastName: 'Ashgrove', jobTitle: 'Studio Manager' },
    { firstName: 'Nadia', lastName: 'Petrosyan', jobTitle: 'Head of Pipeline' },
  ],
  vireolearning: [
    { firstName: 'Teresa', lastName: 'Villagrán', jobTitle: 'President' },
    { firstName: 'Andre', lastName: 'Fontenel', jobTitle: 'Director of Content' },
    { firstName: 'Hana', lastName: 'Suzukawa', jobTitle: 'Product Manager' },
    { firstName: 'Cole', lastName: 'Rademacher', jobTitle: 'Sales Operations' },
    { firstName: 'Imani', lastName: 'Westbrooke', jobTitle: 'Customer Success Lead' },
  ],
  miradalhoteles: [
    { firstName: 'Lucía', lastName: 'Montalbán', jobTitle: 'Directora de compras' },
    { firstName: 'Álvaro', lastName: 'Riquelme Soto', jobTitle: 'Director de operaciones' },
    { firstName: 'Marta', lastName: 'Echevarri', jobTitle: 'Jefa de sistemas' },
    { firstName: 'Íñigo', lastName: 'Zabalegui', jobTitle: 'Revenue Manager' },
    { firstName: 'Carmen', lastName: 'Olivella', jobTitle: 'Administración' },
  ],
  amberfield: [
    { firstName: 'Aoife', lastName: 'Kilbracken', jobTitle: 'Head of Networks' },
    { firstName: 'Declan', lastName: 'Moynihane', jobTitle: 'Stores Manager' },
    { firstName: 'Siobhán', lastName: 'Tierneyan', jobTitle: 'Programme Manager' },
    { firstName: 'Patryk', lastName: 'Zielonka', jobTitle: 'GIS Analyst' },
    { firstName: 'Gráinne', lastName: 'Coolahan', jobTitle: 'Procurement Lead' },
  ],
  saebyeokbio: [
    { firstName: 'Seo-yeon', lastName: 'Kangwol', jobTitle: 'Chief Scientific Officer' },
    { firstName: 'Min-jun', lastName: 'Baekhyeon', jobTitle: 'Operations Manager' },
    { firstName: 'Ji-woo', lastName: 'Namgoong', jobTitle: 'Purchasing' },
    { firstName: 'Hye-jin', lastName: 'Seomun', jobTitle: 'Research Coordinator' },
  ],
  lagoaclara: [
    { firstName: 'Thaís', lastName: 'Albuquerque Lins', jobTitle: 'Diretora de operações' },
    { firstName: 'Caio', lastName: 'Venturelli', jobTitle: 'Gerente de suprimentos' },
    { firstName: 'Luana', lastName: 'Praxedes', jobTitle: 'Engenheira de campo' },
    { firstName: 'Henrique', lastName: "Sant'Elmo", jobTitle: 'Analista de TI' },
    { firstName: 'Beatriz', lastName: 'Nogueirol', jobTitle: 'Controladoria' },
  ],
  norrglim: [
    { firstName: 'Linnéa', lastName: 'Åkerblad', jobTitle: 'Vd' },
    { firstName: 'Isak', lastName: 'Nordvall', jobTitle: 'Utvecklingschef' },
    { firstName: 'Saga', lastName: 'Hedenbrink', jobTitle: 'Produktägare' },
    { firstName: 'Tove', lastName: 'Lilliehorn', jobTitle: 'Försäljningschef' },
  ],
  zeytindal: [
    { firstName: 'Elif', lastName: 'Karaosman', jobTitle: 'Genel müdür' },
    { firstName: 'Burak', lastName: 'Şahinalp', jobTitle: 'Lojistik müdürü' },
    { firstName: 'Defne', lastName: 'Özgüner', jobTitle: 'İhracat sorumlusu' },
    { firstName: 'Cem', lastName: 'Yıldıray', jobTitle: 'Bilgi işlem müdürü' },
    { firstName: 'Gülşen', lastName: 'Akdereli', jobTitle: 'Muhasebe müdürü' },
  ],
  kauriport: [
    { firstName: 'Hemi', lastName: 'Tawharanui', jobTitle: 'General Manager' },
    { firstName: 'Rachel', lastName: 'Strathmoor', jobTitle: 'Supply Chain Manager' },
    { firstName: 'Sione', lastName: 'Fakatava', jobTitle: 'Plant Supervisor' },
    { firstName: 'Georgia', lastName: 'Linwood', jobTitle: 'Farm Liaison' },
  ],
  mtkvarimaps: [
    { firstName: 'Nino', lastName: 'Gelovanidze', jobTitle: 'Co-founder' },
    { firstName: 'Levan', lastName: 'Tsereleli', jobTitle: 'Head of Surveys' },
    { firstName: 'Tamar', lastName: 'Abashvili', jobTitle: 'Data Engineer' },
  ],
  thistledown: [
    { firstName: 'Morag', lastName: 'Dalrympleson', jobTitle: 'Chief Executive' },
    { firstName: 'Alasdair', lastName: 'Kinnaird', jobTitle: 'Claims Director' },
    { firstName: 'Zainab', lastName: 'Chowdhary', jobTitle: 'Head of Change' },
    { firstName: 'Hamish', lastName: 'Lockerby', jobTitle: 'Infrastructure Manager' },
    { firstName: 'Catriona', lastName: 'Struan', jobTitle: 'Underwriting Manager' },
    { firstName: 'Rory', lastName: 'Balfouray', jobTitle: 'Data Protection Officer' },
  ],
};
